package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** What makes an intake slow, or its order weaker, without being wrong. Asks for plans and descriptions only, whatever the size of the table. */
final class SourceWarnings {
    /** Rows that are too many to look at in each pause. */
    private static final long MANY = 20_000;

    private final Selection selection;
    private final List<ColumnType> types;
    private final Intake intake;
    private final SourceTable table;
    private final Connection connection;
    private final List<FileProblem> warnings = new ArrayList<>();

    private SourceWarnings(SourceCheck.Checked checked, Connection connection) {
        selection = checked.selection();
        types = checked.types();
        intake = selection.intake();
        table = selection.table();
        this.connection = connection;
    }

    /** @param select the statement that reads rows */
    static List<FileProblem> of(SourceCheck.Checked checked, String select, Connection connection) throws SQLException {
        SourceWarnings warnings = new SourceWarnings(checked, connection);
        warnings.transactions();
        warnings.snapshot();
        warnings.parametersOfSqlServer();
        warnings.nullableKey();
        warnings.index(select);
        return warnings.warnings;
    }

    private void warn(String field, String text) {
        warnings.add(intake.problem(field, text));
    }

    private void transactions() {
        if (table.dialect() == Dialect.MARIADB) {
            engine(table, connection)
                    .filter(engine -> !engine.hasTransactions())
                    .ifPresent(engine -> warn(
                            "table",
                            intake.table() + " is a table of " + engine.name()
                                    + ", which has no transactions: rows are copied before their transaction commits, and stay when it fails. Run: alter table "
                                    + intake.table() + " engine = InnoDB"));
        }
    }

    /** What stores the rows of a table of MariaDB or MySQL. */
    record Engine(String name, boolean hasTransactions) {}

    /** Empty for a view, whose tables are unknown, and if the user may not ask. */
    static Optional<Engine> engine(SourceTable table, Connection connection) {
        return first(
                connection,
                "select t.engine, e.transactions from information_schema.tables t join information_schema.engines e"
                        + " on e.engine = t.engine where t.table_schema = ? and t.table_name = ?",
                row -> new Engine(row.getString(1), "YES".equals(row.getString(2))),
                table.catalog(),
                table.name());
    }

    private void snapshot() throws SQLException {
        if (table.dialect() == Dialect.SQL_SERVER) {
            first(
                            connection,
                            "select name from sys.databases where database_id = db_id() and is_read_committed_snapshot_on = 0",
                            row -> row.getString(1))
                    .ifPresent(database -> warn(
                            "table",
                            "the database " + database
                                    + " has READ_COMMITTED_SNAPSHOT off: a read sees rows of different moments, so that the later row of a key may be"
                                    + " copied first, and it waits for open transactions. Run while nothing else is connected: alter database ["
                                    + database + "] set read_committed_snapshot on"));
        }
    }

    /** Its driver sends texts as nvarchar, which it compares with a varchar column without its index. */
    private void parametersOfSqlServer() throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL());
        boolean isText = types.stream()
                .limit(selection.keys())
                .anyMatch(type -> type.isText()
                        && !type.name().startsWith("n")
                        && !type.name().equals("uniqueidentifier")); // the text becomes one of these
        if (table.dialect() == Dialect.SQL_SERVER
                && isText
                && !url.toLowerCase(Locale.ROOT).contains("sendstringparametersasunicode=false")) {
            warn(
                    "key",
                    "the key is text, and the driver sends texts in a type that is compared without the index. Add"
                            + " ;sendStringParametersAsUnicode=false to the URL of the data source "
                            + intake.dataSource());
        }
    }

    private void nullableKey() {
        for (int i = 0; i < selection.keys(); i++) {
            if (types.get(i).nullable()) {
                warn(
                        "key",
                        "the column " + selection.columns().get(i).sql()
                                + " of the key can be null. A pending row without a value stops the intake: make the column not null");
            }
        }
    }

    private void index(String select) throws SQLException {
        SourceIndex index = new SourceIndex(selection);
        List<SourceTable.Index> indexes = table.indexes(connection);
        if (indexes.isEmpty() && !table.isTable(connection)) {
            return; // a view
        }
        OptionalLong planned = planned(select);
        if (!index.isServed(indexes)) {
            warn(
                    "pending",
                    "no index serves pending and order: each read looks at all rows. Run: " + index.statement());
        } else if (planned.isPresent() && planned.getAsLong() > MANY) {
            warn(
                    "pending",
                    "the plan of the read looks at about " + Formatted.counted(planned.getAsLong(), "row")
                            + ", in each pause of delay. An index that serves it: " + index.statement());
        }
    }

    /** The rows that the database expects to look at; empty if it is not asked, or uses an index. */
    private OptionalLong planned(String select) throws SQLException {
        return switch (table.dialect()) {
            case MARIADB ->
                first(connection, "explain " + select, SourceWarnings::rows)
                        .map(OptionalLong::of)
                        .orElse(OptionalLong.empty());
            case POSTGRES ->
                first(connection, "explain " + select, SourceWarnings::text)
                        .filter(plan -> plan.contains("Seq Scan on "))
                        .flatMap(plan -> first(
                                connection,
                                "select reltuples::bigint from pg_catalog.pg_class where oid = pg_catalog.to_regclass(?)",
                                row -> row.getString(1),
                                intake.table()))
                        .map(rows -> OptionalLong.of(Long.parseLong(rows)))
                        .orElse(OptionalLong.empty());
            default -> OptionalLong.empty();
        };
    }

    /** The rows that MariaDB expects to read; none if it goes through pending rows in their order, which may be many. */
    private static long rows(ResultSet plan) throws SQLException {
        boolean isScan = List.of("ALL", "index").contains(String.valueOf(plan.getString("type")))
                || String.valueOf(plan.getString("Extra")).contains("Using filesort");
        return isScan ? plan.getLong("rows") : 0;
    }

    /** All lines of a plan. */
    private static String text(ResultSet plan) throws SQLException {
        StringBuilder text = new StringBuilder();
        do {
            text.append(plan.getString(1)).append('\n');
        } while (plan.next());
        return text.toString();
    }

    /** The value of the first row; empty without a row, if the user may not ask, and if the answer has another form. */
    private static <T> Optional<T> first(Connection connection, String sql, Sql.Row<T> value, String... parameters) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(10);
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.ofNullable(value.read(rows)) : Optional.empty();
            }
        } catch (SQLException e) {
            return Optional.empty();
        }
    }
}
