package dev.caravan.database.schema;

import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Checks everything in the database that a relay and its guarantees depend on: version, tables, the sequence of the ids, and
 * privileges. Changes nothing.
 */
public final class SchemaCheck {
    private static final int OLDEST_VERSION = 140000;
    private static final String APPLY = "Create or upgrade the tables with: ./caravan schema apply";

    private static final Pattern MISSING_TABLE = Pattern.compile("Table (\\S+) does not exist in schema (\\S+)");

    private final DataSource dataSource;

    public SchemaCheck(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** All problems, in the order in which they must be corrected; empty if a relay can start. */
    public List<DatabaseProblem> problems() throws SQLException {
        List<DatabaseProblem> problems = new ArrayList<>();
        try (var connection = dataSource.getConnection()) {
            connection.setReadOnly(true);
            if (isTooOld(connection, problems)
                    || hasOtherEncoding(connection, problems)
                    || isForeign(connection, problems)) {
                return problems;
            }
            Set<String> incomplete = tables(connection, problems);
            if (!incomplete.contains("outbox")) {
                outbox(connection, problems);
            }
            privileges(connection, problems);
            rowSecurity(connection, problems);
        }
        return problems;
    }

    /** Whether the owner of the outbox is a superuser: what has the rights of the owner can do anything then. */
    public boolean ownerIsSuperuser() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return Statement.query(connection, "database/owner_is_superuser", row -> row.getBoolean(1)).stream()
                    .anyMatch(Boolean::booleanValue);
        }
    }

    /** The roles that gain the rights of a relay by triggers that they may create. */
    public List<DatabaseProblem> triggersOfOthers() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return Statement.query(
                    connection,
                    "database/check_triggers",
                    row -> new DatabaseProblem(
                            "triggers",
                            "Role " + row.getString("role") + " may create triggers on " + row.getString("tables")
                                    + ", and a trigger runs with the rights of the relay that writes to the table. Run:"
                                    + " revoke trigger on " + row.getString("tables") + " from "
                                    + row.getString("role")));
        }
    }

    private boolean isTooOld(Connection connection, List<DatabaseProblem> problems) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("select current_setting('server_version_num')::int")) {
            rows.next();
            int version = rows.getInt(1);
            if (version < OLDEST_VERSION) {
                problems.add(
                        new DatabaseProblem(
                                "server version",
                                "Postgres " + version / 10_000
                                        + " is too old: Caravan needs multiranges, which exist since Postgres 14. Upgrade the server."));
            }
            return version < OLDEST_VERSION;
        }
    }

    private static boolean hasOtherEncoding(Connection connection, List<DatabaseProblem> problems) throws SQLException {
        Optional<DatabaseProblem> problem = Encoding.problem(connection);
        problem.ifPresent(problems::add);
        return problem.isPresent();
    }

    private static boolean isForeign(Connection connection, List<DatabaseProblem> problems) throws SQLException {
        ExistingTables existing = ExistingTables.of(connection);
        if (existing.foreign()) {
            problems.add(new DatabaseProblem("outbox", existing.refusal()));
        }
        return existing.foreign();
    }

    private Set<String> tables(Connection connection, List<DatabaseProblem> problems) throws SQLException {
        Set<String> incomplete = new LinkedHashSet<>();
        List<String> texts = new ArrayList<>();
        try (var statement = connection.prepareStatement(SqlFile.file("database/check_tables"));
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                incomplete.add(rows.getString("table_name"));
                texts.add(ExistingTables.missing(rows));
            }
        }
        String about = incomplete.size() == 1 ? incomplete.iterator().next() : "tables";
        if (!texts.isEmpty()) { // one problem, because one command corrects it
            problems.add(new DatabaseProblem(about, together(texts) + ". " + APPLY));
        }
        return incomplete;
    }

    /** The texts as one; tables that are missing in the same schema are named together. */
    private static String together(List<String> texts) {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        List<String> others = new ArrayList<>();
        for (String text : texts) {
            Matcher missing = MISSING_TABLE.matcher(text);
            if (missing.matches()) {
                tables.computeIfAbsent(missing.group(2), schema -> new ArrayList<>())
                        .add(missing.group(1));
            } else {
                others.add(text);
            }
        }
        Stream<String> together = tables.entrySet().stream()
                .map(each -> each.getValue().size() == 1
                        ? "Table " + each.getValue().get(0) + " does not exist in schema " + each.getKey()
                        : "Tables " + String.join(", ", each.getValue()) + " do not exist in schema " + each.getKey());
        return Stream.concat(together, others.stream()).collect(Collectors.joining(". "));
    }

    private void outbox(Connection connection, List<DatabaseProblem> problems) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file("database/check_outbox"));
                var row = statement.executeQuery()) {
            row.next();
            partitioning(row, problems);
            if (numbering(row, problems)) {
                messages(connection, row.getString("sequence_name"), problems);
            }
        }
    }

    private static void partitioning(ResultSet row, List<DatabaseProblem> problems) throws SQLException {
        String key = row.getString("partition_key");
        if (!"RANGE (id)".equals(key)) {
            problems.add(new DatabaseProblem(
                    "outbox",
                    "Table outbox is " + (key == null ? "not partitioned" : "partitioned by " + key)
                            + ", must be partitioned by RANGE (id), because old messages are removed by dropping partitions."
                            + " Rename it and create a new one with: ./caravan schema apply"));
        }
    }

    /** @return whether the role may read the sequence */
    private static boolean numbering(ResultSet row, List<DatabaseProblem> problems) throws SQLException {
        String sequence = row.getString("sequence_name");
        if (!row.getBoolean("always_identity") || sequence == null) {
            problems.add(new DatabaseProblem(
                    "outbox.id",
                    "Column outbox.id is not GENERATED ALWAYS AS IDENTITY: an id chosen by an application can be"
                            + " below a position and would never be read. Run: alter table "
                            + row.getString("outbox_name") + " alter id "
                            + (sequence == null ? "add generated always as identity" : "set generated always")));
        }
        if (sequence == null) {
            return false;
        }
        if (row.getLong("cache") != 1) {
            problems.add(new DatabaseProblem(
                    sequence,
                    "Sequence " + sequence + " has CACHE " + row.getLong("cache")
                            + ", must be 1: a cached id that is not used yet looks like a rolled-back one,"
                            + " and messages would be lost. Run: alter sequence " + sequence + " cache 1"));
        }
        if (row.getLong("increment") != 1 || row.getBoolean("cycles")) {
            problems.add(new DatabaseProblem(
                    sequence,
                    "Sequence " + sequence
                            + " must increment by 1 and not cycle, because ids determine the order of messages."
                            + " Run: alter sequence " + sequence + " increment by 1 no cycle"));
        }
        if (!row.getBoolean("readable")) {
            problems.add(new DatabaseProblem(
                    sequence,
                    "The role may not read sequence " + sequence
                            + ", so it cannot be checked against the positions. Run as its owner: grant select on sequence "
                            + sequence + " to the role in caravan.db.user (DB_USER)"));
        }
        return row.getBoolean("readable");
    }

    private static void messages(Connection connection, String sequence, List<DatabaseProblem> problems)
            throws SQLException {
        if (!mayRead(connection, "outbox")) {
            return;
        }
        try (var statement = connection.prepareStatement(SqlFile.file("operate/highest_id"));
                var row = statement.executeQuery()) {
            row.next();
            long highest = row.getLong(1);
            long lastId = lastId(connection);
            if (highest > lastId) {
                problems.add(new DatabaseProblem(
                        sequence,
                        "Sequence " + sequence + " is at " + lastId + " but the outbox contains id " + highest
                                + " (restored without its sequence?): the next inserts would fail or not be delivered."
                                + " Run: select setval('" + sequence + "', " + highest + ")"));
            }
        }
    }

    /**
     * The positions ahead of the sequence, without subscriptions that are already halted. They do not prevent a start: the relay halts the
     * subscription until a person resumes it. If the relay refused to start instead, the problem could no longer be detected as soon as
     * the sequence passes the position. Call it only when there are no {@link #problems()}.
     */
    public List<DatabaseProblem> positionsAhead() throws SQLException {
        record Position(String subscription, int lane, long position, boolean restarted) {}
        List<Position> positions = new ArrayList<>();
        try (var connection = dataSource.getConnection()) {
            try (var statement = connection.prepareStatement(SqlFile.file("database/check_positions"));
                    var rows = statement.executeQuery()) {
                while (rows.next()) {
                    positions.add(new Position(
                            rows.getString("name"),
                            rows.getInt("lane"),
                            rows.getLong("position"),
                            rows.getBoolean("restarted")));
                }
            }
            long lastId = lastId(connection);
            return positions.stream()
                    .filter(at -> at.position() > lastId || at.restarted())
                    .map(at -> new DatabaseProblem(
                            "position",
                            "Subscription " + at.subscription() + (at.lane() == 0 ? "" : " (lane " + at.lane() + ")")
                                    + " is at position " + at.position()
                                    + (at.position() > lastId
                                            ? " but the sequence of the outbox is at " + lastId
                                                    + " (a restored outbox, or TRUNCATE … RESTART IDENTITY?): new messages get"
                                                    + " ids that it has already passed."
                                            : ", and the sequence of the outbox was restarted or altered since (TRUNCATE …"
                                                    + " RESTART IDENTITY, ALTER SEQUENCE): ids up to the position may have been"
                                                    + " assigned again.")
                                    + " A relay halts it until a person resumes it:"
                                    + " ./caravan subscriptions resume " + at.subscription() + " --after ID"))
                    .toList();
        }
    }

    /** The last id drawn; 0 before the first. Read it after the positions it is compared with, because inserts continue. */
    private static long lastId(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file("database/check_outbox"));
                var row = statement.executeQuery()) {
            row.next();
            return row.getLong("last_id");
        }
    }

    /** Whether the role may read all rows of a table. If not, the checks of privileges and row-level security report it. */
    private static boolean mayRead(Connection connection, String table) throws SQLException {
        try (var statement = connection.prepareStatement(
                "select has_table_privilege(name, 'SELECT') and not row_security_active(name) from (values (?::text)) tables (name)")) {
            statement.setString(1, table);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    private void privileges(Connection connection, List<DatabaseProblem> problems) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file("database/check_privileges"));
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                String table = rows.getString("table_name");
                String lacking = rows.getString("privileges");
                String role = rows.getString("role");
                problems.add(new DatabaseProblem(
                        table,
                        "Role " + role + " lacks " + lacking + " on " + table + ", which is needed."
                                + " Run as its owner: grant " + lacking + " on " + table + " to " + role));
            }
        }
    }

    /** Reports row-level security: a message that is hidden from a relay looks like one that was rolled back, and would be lost. */
    private static void rowSecurity(Connection connection, List<DatabaseProblem> problems) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file("database/check_row_security"));
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                String table = rows.getString("table_name");
                problems.add(new DatabaseProblem(
                        table,
                        "Row-level security of " + table + " may hide rows from role " + rows.getString("role")
                                + ", and messages would be lost. Run as a superuser: alter role "
                                + rows.getString("role") + " bypassrls (or: alter table " + table
                                + " disable row level security)"));
            }
        }
    }
}
