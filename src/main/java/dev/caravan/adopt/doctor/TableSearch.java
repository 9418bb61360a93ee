package dev.caravan.adopt.doctor;

import dev.caravan.base.text.NearestName;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the table that a user named, and the meaning of its columns. */
final class TableSearch {
    private static final String DEFAULT_TABLE = "outbox";

    private final Connection connection;
    private final Request request;
    private String searchPath = "";

    /** The oid and the names of a relation. */
    private record Named(long oid, String quoted, String schema, String name) {}

    TableSearch(Connection connection, Request request) {
        this.connection = connection;
        this.request = request;
    }

    /**
     * Returns the table; empty when none was named and there is no table {@code outbox}.
     *
     * @throws Request.Refused when the table or a column is unknown, or the relation stores no rows
     */
    Optional<MessageTable> table() throws SQLException {
        searchPath = searchPath();
        long oid = request.table().isPresent() ? named(request.table().get()) : bySqlName(DEFAULT_TABLE);
        if (oid == 0) {
            if (request.order().isPresent() || request.pending().isPresent()) {
                throw new Request.Refused("There is no table outbox that --order and --pending could describe."
                        + " Name the table with --table.");
            }
            return Optional.empty();
        }
        return Optional.of(read(oid));
    }

    /** Names of tables that may contain messages, quoted as in statements. */
    static List<String> candidates(Connection connection) throws SQLException {
        return Sql.file("adopt/candidate_tables").query(connection, row -> row.getString("quoted"));
    }

    private long named(String name) throws SQLException {
        long oid = bySqlName(name);
        return oid != 0 ? oid : byLiteralName(name);
    }

    /** Only the name of the table is looked up on the search_path of the role. Returns 0 if Postgres does not find the table, or if the text is not a valid name. */
    private long bySqlName(String name) throws SQLException {
        long oid = 0;
        Savepoint before = connection.setSavepoint();
        try {
            oid = Sql.file("adopt/find_table")
                    .with("name", name)
                    .query(connection, row -> row.getLong("oid"))
                    .get(0);
        } catch (SQLException e) {
            connection.rollback(before);
            if (!String.valueOf(e.getSQLState()).startsWith("42")) {
                throw e;
            }
            // no valid name, or no right on the schema
        }
        Sql.execute(connection, Doctor.ONLY_POSTGRES);
        return oid;
    }

    /** Finds the table whose exact name, without quoting, is this text. */
    private long byLiteralName(String name) throws SQLException {
        List<Named> all = Sql.file("adopt/named_tables").query(connection, Named.class);
        List<Named> same = all.stream()
                .filter(each -> each.name().equals(name)
                        || (each.schema() + "." + each.name()).equals(name)
                        || each.quoted().equals(name))
                .toList();
        if (same.size() == 1) {
            return same.get(0).oid();
        }
        if (same.size() > 1) {
            throw new Request.Refused("There are several tables named " + name + ": "
                    + String.join(", ", same.stream().map(Named::quoted).toList()) + ". Name one with its schema.");
        }
        throw new Request.Refused("There is no table " + name + " in this database"
                + nearest(name, all)
                        .map(near -> ". Did you mean " + near + "?")
                        .orElse(" (search_path: " + searchPath + ").")
                + " Nothing was examined.");
    }

    private static Optional<String> nearest(String name, List<Named> all) {
        String wanted = name.substring(name.lastIndexOf('.') + 1);
        return NearestName.to(wanted, all.stream().map(Named::name).toList())
                .flatMap(near ->
                        all.stream().filter(each -> each.name().equals(near)).findFirst())
                .map(Named::quoted);
    }

    private String searchPath() throws SQLException {
        return Sql.rows(connection, "select current_setting('search_path')", row -> row.getString(1))
                .get(0);
    }

    private MessageTable read(long oid) throws SQLException {
        List<Column> all = Sql.file("adopt/columns").with("oid", oid).query(connection, Column.class);
        return Sql.file("adopt/table")
                .with("oid", oid)
                .query(connection, row -> table(row, all))
                .get(0);
    }

    private MessageTable table(ResultSet row, List<Column> all) throws SQLException {
        String quoted = row.getString("quoted");
        refuseOthers(row.getString("kind"), row.getString("persistence"), quoted);
        boolean ofCaravan = row.getBoolean("of_caravan");
        if (ofCaravan && request.pending().isPresent()) {
            throw new Request.Refused(
                    "Messages in the outbox of Caravan have no pending state: each subscription has its own"
                            + " progress (./caravan status). Omit --pending.");
        }
        MessageColumns columns = MessageColumns.of(all, chosenOrder(all, quoted));
        long[] parts = Stream.of((Long[]) row.getArray("oids").getArray())
                .mapToLong(Long::longValue)
                .toArray();
        return new MessageTable(
                row.getLong("oid"),
                quoted,
                row.getString("schema"),
                row.getString("name"),
                row.getString("partition_key"),
                parts,
                row.getLong("partitions"),
                row.getLong("row_estimate"),
                row.getLong("page_bytes"),
                row.getBoolean("readable"),
                ofCaravan,
                columns,
                ofCaravan ? Optional.empty() : pending(row.getLong("oid"), parts, columns));
    }

    private static void refuseOthers(String kind, String persistence, String quoted) {
        String other =
                switch (kind) {
                    case "v" -> "a view: name the table that it reads";
                    case "m" -> "a materialized view: name the table that it reads";
                    case "f" -> "a foreign table: examine it on the server that stores it";
                    case "r", "p" -> persistence.equals("t") ? "a temporary table of another session" : null;
                    default -> "not a table";
                };
        if (other != null) {
            throw new Request.Refused(quoted + " is " + other + ". Nothing was examined.");
        }
    }

    private Optional<Column> chosenOrder(List<Column> all, String quoted) {
        return request.order().map(name -> all.stream()
                .filter(column -> column.name().equals(name) || column.quoted().equals(name))
                .findFirst()
                .orElseThrow(() -> new Request.Refused("Table " + quoted + " has no column " + name + " (--order)"
                        + NearestName.suggestion(
                                name,
                                all.stream().map(Column::name).toList(),
                                ". It has: "
                                        + String.join(
                                                ", ",
                                                all.stream().map(Column::name).toList()) + ".")
                        + " Nothing was examined.")));
    }

    private Optional<PendingRows> pending(long oid, long[] parts, MessageColumns columns) throws SQLException {
        if (request.pending().isPresent()) {
            return request.pending().map(PendingRows::given);
        }
        if (columns.published().isEmpty()) {
            return Optional.empty();
        }
        List<String> predicates = Sql.file("adopt/pending_hints")
                .with("parts", parts)
                .query(connection, row -> row.getString("predicate"));
        List<String> values = Sql.file("adopt/status_values")
                .with("column", columns.published().get().name())
                .with("parts", parts)
                .with("oid", oid)
                .query(connection, row -> row.getString("value"));
        return PendingRows.of(columns, predicates, values);
    }
}
