package dev.caravan.adopt.doctor;

import dev.caravan.adopt.capture.Trust;
import dev.caravan.adopt.doctor.Report.NotExamined;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.ForeignCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Examines a table of messages and its database. Each examination has a read-only transaction of its own with limits for statements
 * and locks. If one fails, this is reported, and the others continue.
 */
public final class Doctor {
    private static final String TIMES = "set local statement_timeout = '2s'; set local lock_timeout = '500ms';"
            + " set local idle_in_transaction_session_timeout = '30s'";
    /** The statements name each table with its schema: nobody can put an operator or function between them and Postgres. */
    static final String ONLY_POSTGRES = "set local search_path = " + ForeignCode.ONLY_POSTGRES;

    private static final String CANCELLED = "57014";
    private static final String LOCKED = "55P03";

    private final DataSource dataSource;
    private final DataSource ofCaravan;
    private final Limits limits;

    /**
     * @param dataSource its sessions find every table that the user may name
     * @param ofCaravan its sessions have the schema of Caravan's tables, if there are any
     */
    public Doctor(DataSource dataSource, DataSource ofCaravan, Limits limits) {
        this.dataSource = dataSource;
        this.ofCaravan = ofCaravan;
        this.limits = limits;
    }

    /** The server as this session sees it. */
    private record Server(String database, String role, String quotedRole, String version, boolean seesAll) {}

    /** @throws Request.Refused when the table or a column is unknown, or the condition is wrong */
    public Report examine(Request request) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            begin(connection);
            Server server = server(connection);
            MessageTable table = new TableSearch(connection, request).table().orElse(null);
            Map<String, String> facts = table == null ? noTable(connection) : facts(table);
            connection.rollback();
            boolean usesOwnNames = request.pending().isPresent() && requireCondition(connection, table, server);
            return examined(connection, server, table, usesOwnNames, facts);
        }
    }

    private Report examined(
            Connection connection, Server server, MessageTable table, boolean usesOwnNames, Map<String, String> facts)
            throws SQLException {
        List<Finding> findings = new ArrayList<>();
        List<NotExamined> notExamined = new ArrayList<>();
        if (!server.seesAll()) {
            notExamined.add(new NotExamined(
                    "sessions and statements of other roles",
                    "role " + server.role() + " may not see them",
                    "grant pg_monitor to " + server.role()));
        }
        if (table != null && !table.readable()) {
            notExamined.add(new NotExamined(
                    "rows of " + table.quoted(),
                    "role " + server.role() + " may not read them",
                    "grant select on " + table.quoted() + " to " + server.role() + " (and usage on its schema)"));
        }
        for (Examination examination : Examination.all(ofCaravan)) {
            if (examination.applies(table) && (!examination.readsRows() || table.readable())) {
                run(examination, new Target(connection, table, limits), server, usesOwnNames, findings, notExamined);
            }
        }
        return new Report(
                server.database() + ", Postgres " + server.version() + ", as role " + server.role(),
                facts,
                findings,
                notExamined);
    }

    private static void run(
            Examination examination,
            Target target,
            Server server,
            boolean usesOwnNames,
            List<Finding> findings,
            List<NotExamined> notExamined)
            throws SQLException {
        try {
            begin(target.connection());
            if (examination.needs() != Examination.Needs.PENDING || !usesOwnNames) {
                Sql.execute(target.connection(), ONLY_POSTGRES);
            }
            String foreign = examination.readsRows() ? foreignCode(target, server) : "";
            if (foreign.isEmpty()) {
                examination.look().at(target, findings::add);
            } else {
                addOnce(new NotExamined("rows of " + target.table().quoted(), foreign, ""), notExamined);
            }
        } catch (SQLException e) {
            if (DatabaseFailure.in(e).filter(DatabaseFailure::waitingHelps).isPresent()) {
                throw e;
            }
            notExamined.add(refused(examination, e, server));
        } catch (Examination.NotPossible e) {
            notExamined.add(new NotExamined(examination.subject(), e.getMessage(), e.fix()));
        } finally {
            target.connection().rollback();
        }
    }

    private static void addOnce(NotExamined part, List<NotExamined> all) {
        if (!all.contains(part)) {
            all.add(part);
        }
    }

    /**
     * Why the rows must not be read: indexes, constraints, policies and types of the table can call functions, which would run with the rights of
     * the person. Empty if they may. An owner who could add some is prevented from it until the end of the transaction, if the person may lock the
     * table.
     */
    private static String foreignCode(Target target, Server server) throws SQLException {
        MessageTable table = target.table();
        Connection connection = target.connection();
        Trust trust = Trust.of(connection, table.oid(), server.quotedRole(), null);
        if (trust.codeOwners().isEmpty() && trust.changedByOthers() && target.mayLock()) {
            Sql.execute(connection, "lock table " + table.quoted() + " in share update exclusive mode");
            trust = Trust.of(connection, table.oid(), server.quotedRole(), null);
        }
        return trust.refusalOfCode(table.quoted());
    }

    /** Omits the text of an error about a value, because it can contain the value. */
    private static NotExamined refused(Examination examination, SQLException e, Server server) {
        String state = String.valueOf(e.getSQLState());
        return switch (state) {
            case CANCELLED ->
                new NotExamined(
                        examination.subject(), "it took longer than 2 s", "try again when the server is less busy");
            case LOCKED ->
                new NotExamined(
                        examination.subject(), "another session has locked the table", "try again when it is released");
            case DatabaseFailure.NO_PRIVILEGE ->
                new NotExamined(
                        examination.subject(),
                        Formatted.line(e.getMessage(), 200),
                        "grant pg_monitor to " + server.role());
            default ->
                new NotExamined(
                        examination.subject(),
                        state.startsWith("22") ? "SQLSTATE " + state : Formatted.line(e.getMessage(), 200),
                        "");
        };
    }

    private static void begin(Connection connection) throws SQLException {
        Sql.execute(connection, TIMES);
    }

    private static Server server(Connection connection) throws SQLException {
        return Sql.file("adopt/server").query(connection, Server.class).get(0);
    }

    /**
     * A condition may name functions and types of the person. Where others could have created something that it finds instead, only those of
     * Postgres are found.
     *
     * @return whether names are looked up in the schemas of the role
     */
    private boolean requireCondition(Connection connection, MessageTable table, Server server) throws SQLException {
        begin(connection);
        Optional<String> foreign = ForeignCode.possible(connection);
        try {
            if (foreign.isPresent()) {
                Sql.execute(connection, ONLY_POSTGRES);
            }
            Target target = new Target(connection, table, limits);
            String code = foreignCode(target, server);
            if (!code.isEmpty()) {
                throw new Request.Refused("--pending cannot be used: " + code + ". Nothing was examined.");
            }
            target.planOf("adopt/pending_count");
        } catch (SQLException e) {
            if (table.readable() && !LOCKED.equals(e.getSQLState())) { // each examination reports a lock
                throw new Request.Refused("--pending is not a condition on " + table.quoted() + ": "
                        + Formatted.line(String.valueOf(e.getMessage()), 200)
                        + foreign.map(text -> " It can use names of Postgres only: " + text + ".")
                                .orElse("")
                        + " Nothing was examined.");
            }
        } finally {
            connection.rollback();
        }
        return foreign.isEmpty();
    }

    private static Map<String, String> noTable(Connection connection) throws SQLException {
        Map<String, String> facts = new LinkedHashMap<>();
        List<String> candidates = TableSearch.candidates(connection);
        facts.put("Table", "no table outbox; only the server and the database are examined");
        facts.put(
                "Candidates",
                candidates.isEmpty()
                        ? "none; name a table with --table"
                        : String.join(", ", candidates) + "; name one with --table");
        return facts;
    }

    private static Map<String, String> facts(MessageTable table) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "Table",
                table.quoted() + (table.ofCaravan() ? ", the outbox of Caravan" : "") + ": about "
                        + Formatted.counted(table.rows(), "row") + ", " + Formatted.bytes(table.bytes())
                        + (table.isPartitioned()
                                ? ", " + Formatted.counted(table.partitions(), "partition") + " by "
                                        + table.partitionKey()
                                : ""));
        if (!table.ofCaravan()) {
            facts.put(
                    "Pending",
                    table.pending()
                            .map(pending -> pending.sql() + " (" + pending.reason() + ")")
                            .orElse("unknown: no column shows it; name it with --pending CONDITION"));
        }
        facts.put(
                "Order",
                table.columns()
                        .order()
                        .map(order -> order.name() + " (" + table.columns().orderReason() + ")")
                        .orElse("unknown: no column is numbered or a time; name one with --order COLUMN"));
        return facts;
    }
}
