package dev.caravan.adopt.intake;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What a source makes slow or unsafe, although the intake works. */
public final class SourceAdvice {
    /** Storage engines of MariaDB and MySQL with transactions. */
    private static final Set<String> TRANSACTIONAL = Set.of("innodb", "rocksdb", "tokudb", "ndbcluster");

    private SourceAdvice() {}

    /**
     * Sentences that say what is the matter and how to change it; empty if nothing is. Reads only catalogs.
     *
     * @param intake whose table exists
     */
    public static List<String> of(Intake intake, Connection connection) throws SQLException {
        List<String> texts = new ArrayList<>();
        DraftTable table = DraftTable.of(connection, intake.table());
        engine(table, connection).ifPresent(texts::add);
        snapshot(connection).ifPresent(texts::add);
        index(intake, table, connection).ifPresent(texts::add);
        return texts;
    }

    /** Whether a transaction of the table can be rolled back. */
    static boolean hasTransactions(DraftTable table, Connection connection) throws SQLException {
        return connection.getMetaData().supportsTransactions()
                && engine(table, connection).isEmpty();
    }

    private static Optional<String> engine(DraftTable table, Connection connection) throws SQLException {
        if (Dialect.of(connection.getMetaData()) != Dialect.MARIADB) {
            return Optional.empty();
        }
        try (var select = connection.prepareStatement(
                "select engine from information_schema.tables where table_schema = ? and table_name = ?")) {
            select.setString(1, table.catalog());
            select.setString(2, table.name());
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() && rows.getString(1) != null
                        ? Optional.of(rows.getString(1))
                                .filter(engine -> !TRANSACTIONAL.contains(engine.toLowerCase(Locale.ROOT)))
                                .map(engine -> "The storage engine " + engine
                                        + " has no transactions: a row is copied even if the application fails before it has"
                                        + " written all that belongs to it. Run: alter table "
                                        + table.quoted() + " engine = InnoDB")
                        : Optional.empty();
            }
        }
    }

    private static Optional<String> snapshot(Connection connection) throws SQLException {
        if (Dialect.of(connection.getMetaData()) != Dialect.SQL_SERVER) {
            return Optional.empty();
        }
        try (var statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select name from sys.databases where database_id = db_id() and is_read_committed_snapshot_on = 0")) {
            return rows.next()
                    ? Optional.of("The database " + rows.getString(1)
                            + " has no snapshot for a statement: a read waits for transactions that write, and may miss a row that"
                            + " is committed while it runs, so that messages of one key can be out of order. Run: alter database ["
                            + rows.getString(1).replace("]", "]]")
                            + "] set read_committed_snapshot on with rollback immediate")
                    : Optional.empty();
        }
    }

    private static Optional<String> index(Intake intake, DraftTable table, Connection connection) throws SQLException {
        List<String> named = table.columns().stream()
                .filter(column -> names(intake.pending(), column.name()))
                .map(column -> column.name())
                .toList();
        boolean isServed = named.isEmpty()
                || !table.indexed()
                || named.stream().anyMatch(table.leading()::contains)
                || table.partial().stream()
                        .anyMatch(condition -> named.stream().anyMatch(name -> names(condition, name)));
        if (isServed) {
            return Optional.empty();
        }
        String order = String.join(
                ", ",
                !intake.order().isEmpty()
                        ? intake.order()
                        : !intake.key().isEmpty()
                                ? intake.key()
                                : table.key().stream()
                                        .map(column -> column.quoted())
                                        .toList());
        Dialect dialect = Dialect.of(connection.getMetaData());
        String columns = table.columns().stream()
                .filter(column -> named.contains(column.name()))
                .map(column -> column.quoted())
                .reduce((one, other) -> one + ", " + other)
                .orElseThrow();
        String index = "caravan_pending";
        String statement =
                switch (dialect) {
                    case POSTGRES ->
                        "create index concurrently on " + intake.table() + " (" + order + ") where " + intake.pending();
                    case SQL_SERVER ->
                        "create index " + index + " on " + intake.table() + " (" + order + ") where "
                                + intake.pending();
                    default -> "create index " + index + " on " + intake.table() + " (" + columns + ", " + order + ")";
                };
        return Optional.of("No index begins with a column of pending (" + columns
                + "): each read looks at all rows, which is slow in a large table. Run: " + statement);
    }

    /** Whether SQL contains the name of a column as a word; the letters of another name do not count. */
    private static boolean names(String sql, String column) {
        return Pattern.compile("(?<![\\w$])" + Pattern.quote(column) + "(?![\\w$])", Pattern.CASE_INSENSITIVE)
                .matcher(sql.replaceAll("'(?:[^']|'')*'", "''"))
                .find();
    }
}
