package dev.caravan.adopt.intake;

import dev.caravan.adopt.intake.Intake.Payload;
import dev.caravan.adopt.intake.Selection.Column;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.PGResultSetMetaData;

/**
 * The table of an intake as its database describes it.
 *
 * @param catalog null if the database has none
 * @param schema null if the database has none
 * @param name as the catalog of the database has it, and not as SQL has it
 * @param columns the names of all columns, as the database has them
 */
record SourceTable(Dialect dialect, String catalog, String schema, String name, List<String> columns) {
    /** The columns of an index, null for an expression. */
    record Index(boolean unique, boolean partial, List<String> columns) {
        /** Whether the driver does not name all columns. */
        boolean isUnclear() {
            return columns.stream().anyMatch(column -> column == null || column.startsWith("SYS_NC"));
        }
    }

    /**
     * Reads the metadata of a table.
     *
     * @throws SQLException if it cannot be read
     */
    static SourceTable of(Intake intake, Connection connection) throws SQLException {
        return of(intake.table(), connection);
    }

    /** @param sql the name of the table as a statement has it */
    static SourceTable of(String sql, Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        Dialect dialect = Dialect.of(database);
        List<String> columns = new ArrayList<>();
        List<String> path = new ArrayList<>();
        try (var statement = connection.createStatement();
                ResultSet none = statement.executeQuery("select * from " + sql + " where 1 = 0")) {
            ResultSetMetaData found = none.getMetaData();
            for (int i = 1; i <= found.getColumnCount(); i++) {
                columns.add(found.getColumnName(i));
            }
            path.addAll(path(found));
        }
        if (path.isEmpty()) {
            path.addAll(path(sql, connection, database));
        }
        if (dialect == Dialect.MARIADB) {
            path.set(1, null);
        }
        return new SourceTable(dialect, path.get(0), path.get(1), path.get(2), columns);
    }

    /** Catalog, schema and table of the columns; empty if the driver does not tell. */
    private static List<String> path(ResultSetMetaData columns) throws SQLException {
        String table = columns.getTableName(1);
        if (table == null || table.isEmpty()) {
            return List.of();
        }
        String schema = columns.isWrapperFor(PGResultSetMetaData.class)
                ? columns.unwrap(PGResultSetMetaData.class).getBaseSchemaName(1) // getSchemaName is empty
                : columns.getSchemaName(1);
        return Arrays.asList(orNull(columns.getCatalogName(1)), orNull(schema), table);
    }

    private static String orNull(String name) {
        return name == null || name.isEmpty() ? null : name;
    }

    /** The same from the SQL of the file. */
    private static List<String> path(String table, Connection connection, DatabaseMetaData database)
            throws SQLException {
        List<String> names = SqlFragment.of(table).tokens().stream()
                .filter(token -> !token.equals(".") && !token.isBlank())
                .map(token -> inCatalog(token, database))
                .toList();
        if (names.isEmpty()) {
            return Arrays.asList(null, null, table);
        }
        int last = names.size() - 1;
        return Arrays.asList(
                last > 1 ? names.get(last - 2) : connection.getCatalog(),
                last > 0 ? names.get(last - 1) : connection.getSchema(),
                names.get(last));
    }

    private static String inCatalog(String name, DatabaseMetaData database) {
        String unquoted = SqlFragment.unquoted(name);
        try {
            if (!unquoted.equals(name)) {
                return unquoted;
            }
            return database.storesUpperCaseIdentifiers()
                    ? name.toUpperCase(Locale.ROOT)
                    : database.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
        } catch (SQLException e) {
            return unquoted;
        }
    }

    /** The begin of names that no column has. */
    String alias() {
        StringBuilder alias = new StringBuilder("caravan_");
        while (columns.stream()
                .anyMatch(column -> column.toLowerCase(Locale.ROOT).startsWith(alias.toString()))) {
            alias.append("x_");
        }
        return alias.toString();
    }

    /** The columns of the key that the file names, or those of the primary key; empty if there is none. */
    List<Column> key(Intake intake, Connection connection) throws SQLException {
        if (!intake.key().isEmpty()) {
            return intake.key().stream().map(sql -> named("key", sql)).toList();
        }
        return primaryKey(connection).stream()
                .map(column -> new Column("key", quoted(column), column))
                .toList();
    }

    List<String> primaryKey(Connection connection) throws SQLException {
        Map<Integer, String> primary = new TreeMap<>();
        try (ResultSet found = connection.getMetaData().getPrimaryKeys(catalog, schema, name)) {
            while (found.next()) {
                String owner = found.getString("TABLE_SCHEM");
                if (schema == null || owner == null || owner.equals(schema)) { // to Oracle's driver it is a pattern
                    primary.put(found.getInt("KEY_SEQ"), found.getString("COLUMN_NAME"));
                }
            }
        }
        return List.copyOf(primary.values());
    }

    /** The indexes of the table; empty if it is a view, or the driver does not tell. */
    List<Index> indexes(Connection connection) throws SQLException {
        Map<String, Index> indexes = new LinkedHashMap<>();
        Set<String> filtered = dialect == Dialect.SQL_SERVER ? filtered(connection) : Set.of();
        // approximate: an exact answer would make Oracle analyze the table
        try (ResultSet found = connection.getMetaData().getIndexInfo(catalog, schema, name, false, true)) {
            while (found.next()) {
                String index = found.getString("INDEX_NAME");
                String column = found.getString("COLUMN_NAME");
                boolean unique = !found.getBoolean("NON_UNIQUE");
                String filter = found.getString("FILTER_CONDITION");
                if (index != null) {
                    boolean partial = orNull(filter) != null || filtered.contains(index);
                    indexes.computeIfAbsent(index, any -> new Index(unique, partial, new ArrayList<>()))
                            .columns()
                            .add(column);
                }
            }
        }
        return List.copyOf(indexes.values());
    }

    /** The names of the indexes that contain a part of the rows: the driver of SQL Server does not tell. */
    private Set<String> filtered(Connection connection) throws SQLException {
        String table = Stream.of(catalog, schema, name)
                .filter(Objects::nonNull)
                .map(this::quoted)
                .collect(Collectors.joining("."));
        return Set.copyOf(
                Sql.text("select name from sys.indexes where object_id = object_id(:table) and has_filter = 1")
                        .with("table", table)
                        .query(connection, row -> row.getString(1)));
    }

    /** Whether the name is that of a table, and not of a view or of a synonym. */
    boolean isTable(Connection connection) throws SQLException {
        try (ResultSet found = connection
                .getMetaData()
                .getTables(catalog, escaped(connection, schema), escaped(connection, name), null)) {
            while (found.next()) {
                if (name.equals(found.getString("TABLE_NAME"))) {
                    String type = String.valueOf(found.getString("TABLE_TYPE"));
                    return type.contains("TABLE") && !type.contains("VIEW");
                }
            }
        }
        return false;
    }

    /** Names are patterns there. */
    static String escaped(Connection connection, String name) throws SQLException {
        String escape = connection.getMetaData().getSearchStringEscape();
        return name == null || escape == null || escape.isEmpty()
                ? name
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }

    /** The columns of the payload. */
    List<Column> payload(Payload given) {
        return switch (given.kind()) {
            case NONE -> List.of();
            case ROW ->
                columns.stream()
                        .map(column -> new Column("message.payload", quoted(column), column))
                        .toList();
            case COLUMNS ->
                given.expressions().stream()
                        .map(sql -> named("message.payload", sql))
                        .toList();
            case JSON, BYTES -> {
                String field = given.kind() == Payload.Kind.JSON ? "message.payload" : "message.payloadBytes";
                yield List.of(new Column(field, given.expressions().get(0), "payload"));
            }
        };
    }

    private static Column named(String field, String sql) {
        return new Column(field, sql, SqlFragment.of(sql).column().orElse(sql));
    }

    /** The name of a column as SQL that means it, whatever characters it has. */
    String quoted(String column) {
        String quote = dialect == Dialect.MARIADB ? "`" : "\"";
        return quote + column.replace(quote, quote + quote) + quote;
    }

    /** Whether SQL of the file names this column. */
    static boolean isNamed(String sql, String column) {
        return SqlFragment.of(sql).column().filter(column::equalsIgnoreCase).isPresent();
    }
}
