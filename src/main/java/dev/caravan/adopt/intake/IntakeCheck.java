package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Sentence;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.camel.util.function.ThrowingRunnable;

/**
 * Checks an intake against its source. Beside what {@link Source} checks, some pending rows are read, and become messages that nobody receives.
 * Nothing is changed.
 */
public final class IntakeCheck {
    /** Pending rows that are read. */
    private static final int ROWS = 100;

    private static final int SECONDS = 30;

    /**
     * The result for one intake.
     *
     * @param problems what prevents it from working
     * @param hints what makes it slow or unsafe
     * @param facts what works
     * @param statements the statements by their purpose
     * @param plan how the database reads, if it tells
     */
    public record Report(
            List<FileProblem> problems,
            List<FileProblem> hints,
            List<String> facts,
            Map<String, String> statements,
            List<String> plan) {}

    private final Intake intake;
    private final Connection connection;
    private final List<FileProblem> problems = new ArrayList<>();
    private final List<FileProblem> hints = new ArrayList<>();
    private final List<String> facts = new ArrayList<>();

    private IntakeCheck(Intake intake, Connection connection) {
        this.intake = intake;
        this.connection = connection;
    }

    /**
     * Checks an intake.
     *
     * @param tryMark also marks one pending row in a transaction that is rolled back; until then the row is locked
     * @throws IntakeRefusal with all problems of the file and the table
     * @throws SQLException if the database cannot be asked
     */
    public static Report of(Intake intake, Connection connection, boolean tryMark) throws SQLException {
        Source source = Source.of(intake, connection);
        IntakeCheck check = new IntakeCheck(intake, connection);
        check.hints.addAll(source.warnings(connection));
        List<SourceRow> rows = check.rows(source);
        if (check.problems.isEmpty() && tryMark) {
            check.mark(source, rows);
        }
        return new Report(
                check.problems,
                check.hints,
                check.facts,
                source.statements(),
                check.problems.isEmpty() ? check.plan(source) : List.of());
    }

    private static void throwIfLost(SQLException e) throws SQLException {
        if (e.getSQLState() != null && e.getSQLState().startsWith("08")) {
            throw e;
        }
    }

    /** Reads pending rows as the relay does. */
    private List<SourceRow> rows(Source source) throws SQLException {
        List<SourceRow> rows = new ArrayList<>();
        attempt("table", "the statement that reads rows fails", () -> {
            try (Statement statement = statement()) {
                statement.setFetchSize(source.fetchSize());
                statement.setMaxRows(ROWS);
                try (ResultSet found = statement.executeQuery(source.select())) {
                    rows.addAll(source.read(found).rows());
                }
            }
            report(rows);
        });
        return rows;
    }

    private void report(List<SourceRow> rows) {
        List<SourceRow.Rejected> rejected = rows.stream()
                .filter(SourceRow.Rejected.class::isInstance)
                .map(SourceRow.Rejected.class::cast)
                .toList();
        String counted = (rows.size() < ROWS ? "" : "the first ") + Formatted.counted(rows.size(), "pending row");
        if (rejected.isEmpty()) {
            facts.add(rows.isEmpty() ? "no row is pending" : counted + " would become messages");
        } else {
            hints.add(intake.problem(
                    "message",
                    rejected.size() + " of " + counted + " would become dead letters, the first one with the key "
                            + rejected.get(0).key() + ": "
                            + Sentence.of(rejected.get(0).error())));
        }
    }

    /** Marks a row, and rolls back. */
    private void mark(Source source, List<SourceRow> pending) throws SQLException {
        if (!source.hasTransactions(connection)) {
            hints.add(intake.problem(
                    "mark", "was not tried, because the table has no transactions: it could not be undone"));
        } else if (pending.isEmpty()) {
            facts.add("the mark was not tried, because no row is pending");
        } else {
            connection.setAutoCommit(false);
            try {
                attempt("mark", "mark fails", () -> mark(source, pending.get(0).key()));
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    private void mark(Source source, RowKey key) throws SQLException {
        if (source.mark(connection, List.of(key)) == 0) {
            hints.add(intake.problem(
                    "mark", "was tried on the row " + key + ", which was no longer pending: does another poller run?"));
        } else if (source.pending(connection, List.of(key)) > 0) {
            problems.add(
                    intake.problem(
                            "mark",
                            "mark does not end pending: the row " + key
                                    + " is still pending after it, and would be copied again and again. Correct mark or pending."));
        } else {
            facts.add("the mark of the row " + key + " ends pending; it was rolled back");
        }
    }

    private void attempt(String field, String failure, ThrowingRunnable<SQLException> step) throws SQLException {
        try {
            step.run();
        } catch (SQLException e) {
            throwIfLost(e);
            problems.add(intake.problem(
                    field,
                    failure + ": "
                            + ErrorText.withoutSecrets(
                                    Sentence.of(Formatted.line(String.valueOf(e.getMessage()), 500)))));
        }
    }

    private Statement statement() throws SQLException {
        Statement statement = connection.createStatement();
        statement.setQueryTimeout(SECONDS);
        return statement;
    }

    /** The plan of the read on lines; empty for a database that has no plain {@code explain}. */
    private List<String> plan(Source source) throws SQLException {
        if (!source.explains()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        try (Statement statement = statement();
                ResultSet rows = statement.executeQuery("explain " + source.select())) {
            var described = rows.getMetaData();
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= described.getColumnCount(); i++) {
                    if (described.getColumnCount() == 1) {
                        rows.getString(i).lines().forEach(lines::add);
                    } else if (rows.getString(i) != null) {
                        values.add(described.getColumnLabel(i) + "=" + rows.getString(i));
                    }
                }
                if (!values.isEmpty()) {
                    lines.add(String.join(", ", values));
                }
            }
        } catch (SQLException e) {
            throwIfLost(e);
        }
        return lines;
    }
}
