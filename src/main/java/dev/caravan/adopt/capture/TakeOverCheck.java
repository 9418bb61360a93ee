package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.Located;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.ForeignCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Compares the section take-over of a file with its table. Finds what would make both senders or neither of them send a row. */
final class TakeOverCheck {
    private final Capture capture;
    private final TakeOver section;
    private final CapturedTable table;
    private final TakeOverSql sql;
    private final List<FileProblem> problems = new ArrayList<>();

    private TakeOverCheck(Capture capture, TakeOver section, CapturedTable table) {
        this.capture = capture;
        this.section = section;
        this.table = table;
        this.sql = new TakeOverSql(capture, table);
    }

    /** Tries the condition and the mark on some rows, which are not changed. */
    static List<FileProblem> problems(Connection connection, Capture capture, CapturedTable table) throws SQLException {
        TakeOver section = capture.takeOver().orElseThrow();
        TakeOverCheck check = new TakeOverCheck(capture, section, table);
        check.columns();
        if (check.problems.isEmpty()) {
            check.key();
        }
        if (check.problems.isEmpty()) {
            foreignCode(connection, table).ifPresent(refusal -> check.problem(section.line(), refusal));
        }
        if (check.problems.isEmpty()) {
            check.tried(connection);
        }
        return check.problems;
    }

    /**
     * Why the role that runs the command must not read or write the rows; empty if it may. A lock of the table stops nobody from giving a type
     * of it another cast or check.
     */
    static Optional<String> foreignCode(Connection connection, CapturedTable table) throws SQLException {
        return Optional.of(Trust.of(connection, table.oid(), table.role(), null).refusal(table.name()))
                .filter(refusal -> !refusal.isEmpty());
    }

    private void columns() {
        Stream<Located> named = Stream.concat(section.key().stream(), section.order().stream());
        Stream<Located> marked = section.marks().keySet().stream()
                .map(column -> new Located(column, section.mark().line()));
        Stream<Located> unmarked = section.unmarks().keySet().stream()
                .map(column ->
                        new Located(column, section.unmark().orElseThrow().line()));
        problems.addAll(table.unknown(Stream.of(named, marked, unmarked).flatMap(columns -> columns), capture));
    }

    private void key() {
        if (sql.key().isEmpty()) {
            problem(section.line(), table.name() + " has no primary key. Name the columns that identify a row: key");
        } else if (section.order().isEmpty()
                && table.columns().get(sql.key().get(0)).type().equals("uuid")) {
            problem(
                    section.line(),
                    "order is missing: " + sql.key().get(0)
                            + " is a uuid, which has no order. Name the columns in whose order the"
                            + " poller sends, such as: order: created_at");
        }
        section.key().stream()
                .filter(column -> !table.columns().get(column.text()).notNull())
                .forEach(column -> problem(
                        column.line(),
                        "column " + column.text()
                                + " can be null, and such a row would not be marked: the poller would send it too. Make it not null,"
                                + " or name other columns"));
    }

    private void mark() {
        Set<String> all = table.columns().keySet();
        List<String> conditions = SqlTokens.of(section.pending().text()).columns(all);
        section.marks().keySet().stream()
                .filter(column -> table.columns().get(column).generated())
                .forEach(column -> problem(
                        section.mark().line(),
                        "column " + column
                                + " is generated and cannot be set. Set the column that it is generated from"));
        String columns = "Columns of pending: " + (conditions.isEmpty() ? "none" : String.join(", ", conditions));
        if (!section.deletes() && !sets(section.marks(), conditions)) {
            problem(
                    section.mark().line(),
                    "mark sets no column of pending, so the poller would still see the row. " + columns);
        }
        if (section.unmark().isPresent() && !section.deletes() && !sets(section.unmarks(), conditions)) {
            problem(
                    section.unmark().orElseThrow().line(),
                    "unmark sets no column of pending, so --undo would make no row pending again. " + columns);
        }
    }

    private boolean sets(Map<String, String> values, List<String> conditions) {
        return conditions.stream()
                .anyMatch(column -> values.containsKey(column)
                        || table.columns().get(column).generated());
    }

    private void tried(Connection connection) throws SQLException {
        boolean autocommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            // The same search_path as in the function, so that the same names are found.
            Sql.execute(connection, "set local search_path = " + ForeignCode.ONLY_POSTGRES);
            tried(connection, section.pending().line(), sql.tryPending(), "");
            if (problems.isEmpty()) {
                mark();
            }
            if (problems.isEmpty() && !section.key().isEmpty()) {
                tried(
                        connection,
                        section.key().get(0).line(),
                        sql.tryKey(),
                        "pending rows have the same key, so a message of one would mark them all. Name more columns");
            }
            if (problems.isEmpty() && !section.deletes()) {
                boolean generated = SqlTokens.of(section.pending().text())
                        .columns(table.columns().keySet())
                        .stream()
                        .anyMatch(column -> table.columns().get(column).generated());
                tried(
                        connection,
                        section.mark().line(),
                        sql.tryMark(),
                        generated ? "" : "rows are still pending after mark, so the poller would send them too");
                if (problems.isEmpty() && section.unmark().isPresent()) {
                    tried(
                            connection,
                            section.unmark().orElseThrow().line(),
                            sql.tryUnmark(),
                            generated
                                    ? ""
                                    : "rows are not pending after unmark, so nobody would send them after --undo");
                }
            }
        } finally {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autocommit);
            }
        }
    }

    /** @param wrong the problem if the statement finds rows; empty if that is not a problem */
    private void tried(Connection connection, int line, String text, String wrong) throws SQLException {
        try {
            if (Sql.number(connection, text) > 0 && !wrong.isEmpty()) {
                problem(line, wrong);
            }
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().matches("42.*|22.*")) {
                throw e;
            }
            problem(line, String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    /** The privileges that are missing for the role that runs the command, and for the owner of the function. */
    static List<FileProblem> missingRights(Connection connection, Capture capture, CapturedTable table)
            throws SQLException {
        TakeOver section = capture.takeOver().orElseThrow();
        List<FileProblem> missing = new ArrayList<>();
        String marking = table.capturedByOwner() ? table.functionOwner() : table.role();
        for (String role : new TreeSet<>(List.of(marking, table.role()))) {
            Sql.file("adopt/take_over_rights")
                    .with("deletes", section.deletes())
                    .with("columns", section.marks().keySet().toArray(String[]::new))
                    .with("role", role)
                    .with("oid", table.oid())
                    .with("table", table.name())
                    .query(connection, row -> row.getString("problem"))
                    .forEach(text -> missing.add(capture.problem(section.mark().line(), text)));
        }
        return missing;
    }

    private void problem(int line, String text) {
        problems.add(capture.problem(line, text));
    }
}
