package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.intake.Intake.Outcome;
import dev.caravan.adopt.intake.Intake.Payload;
import dev.caravan.adopt.intake.Selection.Column;
import dev.caravan.base.text.Formatted;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares the file of an intake with its table. Each statement of the file is executed with a condition that no row fulfils, and rolled back. A
 * statement that fails is executed part by part, so that each field that is wrong is found.
 */
final class SourceCheck {
    private static final String NO_ROW = "1 = 0";
    private static final int MOST_SECONDS = 30;
    private static final int MOST_ERROR = 500;

    private final Intake intake;
    private final Connection connection;
    private final List<FileProblem> problems = new ArrayList<>();

    private SourceCheck(Intake intake, Connection connection) {
        this.intake = intake;
        this.connection = connection;
    }

    /** @param types one for each column of the selection */
    record Checked(Selection selection, List<ColumnType> types) {}

    /** @throws IntakeRefusal with all problems */
    static Checked check(Intake intake, Connection connection) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false); // what is executed is rolled back
        try {
            return new SourceCheck(intake, connection).checked();
        } finally {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private Checked checked() throws SQLException {
        Selection selection = Selection.of(intake, table(), connection);
        comments(selection);
        List<ColumnType> types = types(selection);
        key(selection, types);
        payload(selection, types);
        updates();
        IntakeRefusal.throwIfAny(problems);
        return new Checked(limited(selection, types), types);
    }

    /** Not every database has the function with which the size of a value is asked. */
    private Selection limited(Selection selection, List<ColumnType> types) throws SQLException {
        Selection limited = selection.limited(types);
        try {
            types(limited.statement(NO_ROW, 1), selection.table().dialect());
            return limited;
        } catch (SQLException e) {
            if (isOfDatabase(e)) {
                throw e;
            }
            return selection;
        }
    }

    private void problem(String field, String text) {
        problems.add(intake.problem(field, text));
    }

    private SourceTable table() throws SQLException {
        try {
            return SourceTable.of(intake, connection);
        } catch (SQLException e) {
            failed("table", e);
            throw new IntakeRefusal(problems.get(0).toString());
        }
    }

    /** In MariaDB and MySQL this character begins a comment; elsewhere it is an operator, or a part of a name. */
    private void comments(Selection selection) {
        if (selection.table().dialect() != Dialect.MARIADB) {
            return;
        }
        comment("table", intake.table());
        comment("pending", intake.pending());
        intake.order().forEach(sql -> comment("order", sql));
        intake.mark().ifPresent(sql -> comment("mark", sql));
        selection.columns().forEach(column -> comment(column.field(), column.sql()));
        intake.outcome().ifPresent(outcome -> {
            comment("outcome.delivered", outcome.delivered());
            outcome.dead().ifPresent(sql -> comment("outcome.dead", sql));
        });
    }

    private void comment(String field, String sql) {
        if (SqlFragment.of(sql).tokens().stream().anyMatch(token -> token.startsWith("#"))) {
            problem(field, field + " has a comment (#), which could hide the rest of the statement");
        }
    }

    private List<ColumnType> types(Selection selection) throws SQLException {
        try {
            return types(
                    selection.statement(NO_ROW + " and (" + intake.pending() + ")", 1),
                    selection.table().dialect());
        } catch (SQLException e) {
            int before = problems.size();
            parts(selection);
            if (problems.size() == before) {
                failed("table", e);
            }
            return List.of();
        }
    }

    private List<ColumnType> types(String select, Dialect dialect) throws SQLException {
        List<ColumnType> types = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setQueryTimeout(MOST_SECONDS);
            try (ResultSet none = statement.executeQuery()) {
                ResultSetMetaData found = none.getMetaData();
                for (int i = 1; i <= found.getColumnCount(); i++) {
                    types.add(ColumnType.of(found, i, dialect));
                }
            }
        }
        return types;
    }

    private void parts(Selection selection) throws SQLException {
        connection.rollback();
        String alias = selection.table().alias() + "1";
        String from = " from " + intake.table() + " where " + NO_ROW;
        String one = "select 1 as " + alias + from;
        for (Column column : selection.columns()) {
            attempt(column.field(), "select " + column.sql() + " as " + alias + from);
        }
        attempt("pending", one + " and (" + intake.pending() + ")");
        for (String each : intake.order()) {
            attempt("order", one + " order by " + each);
        }
    }

    private void attempt(String field, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(MOST_SECONDS);
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.execute();
        } catch (SQLException e) {
            failed(field, e);
            connection.rollback();
        }
    }

    private void failed(String field, SQLException e) throws SQLException {
        if (isOfDatabase(e)) {
            throw e;
        }
        String message = String.valueOf(e.getMessage())
                .replaceFirst("(?s); SQL statement:.*", "") // of H2
                .replaceFirst("^\\(conn=\\d+\\) ", ""); // of MariaDB
        problem(field, field + " fails: " + Formatted.line(message, MOST_ERROR));
    }

    /** Whether the database has failed, and not the statement: lost, ended, or without time for it. */
    static boolean isOfDatabase(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return e instanceof SQLTransientException
                || e instanceof SQLRecoverableException
                || e instanceof SQLNonTransientConnectionException
                || List.of("08", "40", "53", "57").contains(state.substring(0, Math.min(2, state.length())))
                || state.startsWith("HYT");
    }

    private void key(Selection selection, List<ColumnType> types) throws SQLException {
        List<Column> key = selection.key();
        if (key.isEmpty()) {
            problem(
                    "table",
                    intake.table()
                            + " has no primary key that the driver finds. Name the columns that identify a row, for example key: id");
            return;
        }
        for (int i = 0; i < Math.min(key.size(), types.size()); i++) {
            String sql = key.get(i).sql();
            types.get(i)
                    .problemAsKey()
                    .ifPresent(problem -> problem(
                            "key",
                            "the column " + sql + " of the key is " + problem
                                    + ". Name other columns that identify a row"));
            if (SqlFragment.of(sql).column().isEmpty()) {
                problem("key", sql + " is not a column. A row is identified by columns");
            }
        }
        if (!intake.key().isEmpty() && !types.isEmpty()) {
            unique(selection.table(), key);
        }
    }

    /** If two rows had the same key, the mark of one would end {@code pending} of the other, which was not copied. */
    private void unique(SourceTable table, List<Column> key) throws SQLException {
        List<SourceTable.Index> indexes = table.indexes(connection);
        boolean isUnique = within(table.primaryKey(connection), key)
                || indexes.stream()
                        .filter(index -> index.unique() && !index.partial() && !index.isUnclear())
                        .anyMatch(index -> within(index.columns(), key));
        if (!isUnique && table.isTable(connection)) {
            String columns = key.stream().map(Column::sql).collect(Collectors.joining(", "));
            problem(
                    "key",
                    "no unique index shows that (" + columns
                            + ") identifies a row. Two rows with the same key would be marked when one is copied, and a message would be"
                            + " lost. Name other columns, or run: create unique index "
                            + SourceIndex.name(table.name(), "key") + " on " + intake.table() + " (" + columns + ")");
        }
    }

    private static boolean within(List<String> columns, List<Column> key) {
        return !columns.isEmpty()
                && columns.stream()
                        .allMatch(column -> key.stream().anyMatch(each -> SourceTable.isNamed(each.sql(), column)));
    }

    private void payload(Selection selection, List<ColumnType> types) {
        Payload payload = intake.message().payload();
        if (types.isEmpty()) {
            return;
        }
        if (payload.kind() == Payload.Kind.JSON
                && types.get(selection.firstPayload()).isNeverJson()) {
            problem(
                    "message.payload",
                    payload.expressions().get(0) + " is of the type "
                            + types.get(selection.firstPayload()).name()
                            + " and no JSON. For an object write it in brackets: payload: ["
                            + payload.expressions().get(0) + "]");
        }
        Set<String> names = new HashSet<>();
        if (payload.kind() == Payload.Kind.COLUMNS) {
            for (Column column : selection
                    .columns()
                    .subList(selection.firstPayload(), selection.columns().size())) {
                if (SqlFragment.of(column.sql()).column().isEmpty()) {
                    problem("message.payload", column.sql() + " is not a column: its field would have no name");
                } else if (!names.add(column.label())) {
                    problem("message.payload", "the column " + column.sql() + " is given twice");
                }
            }
        }
    }

    /** The statements that change rows. They also need the privilege. */
    private void updates() throws SQLException {
        boolean pendingFails =
                problems.stream().anyMatch(problem -> problem.text().startsWith("pending "));
        attempt("mark", intake.marking(NO_ROW + (pendingFails ? "" : " and (" + intake.pending() + ")")));
        if (intake.outcome().isPresent()) {
            Outcome outcome = intake.outcome().get();
            attempt("outcome.delivered", intake.setting(outcome.delivered(), NO_ROW));
            if (outcome.dead().isPresent()) {
                SqlFragment dead = SqlFragment.of(outcome.dead().get());
                Object[] values = dead.parameters().stream()
                        .map(name -> name.equals(SqlFragment.ERROR) ? (Object) "" : (Object) 1)
                        .toArray();
                attempt("outcome.dead", intake.setting(dead.sql(), NO_ROW), values);
            }
        }
    }
}
