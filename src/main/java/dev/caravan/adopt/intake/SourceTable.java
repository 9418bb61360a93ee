package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.intake.Intake.Payload;
import dev.caravan.adopt.intake.Selection.Column;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of an intake as its database describes it. Statements for the metadata find no row. */
final class SourceTable {
    private static final String NO_ROW = " where 1 = 0";
    private static final Pattern PART = Pattern.compile(
            "\\s*(?:\"((?:[^\"]|\"\")+)\"|`((?:[^`]|``)+)`|\\[((?:[^\\]]|\\]\\])+)\\]|([^\\s.\"`\\[\\]]+))\\s*");

    private final Intake intake;
    private final Connection connection;
    private final DatabaseMetaData database;
    private final Dialect dialect;
    private final List<String> columns = new ArrayList<>();
    private final List<FileProblem> problems = new ArrayList<>();
    private final List<Column> keys;
    private final List<Column> payload;

    private SourceTable(Intake intake, Connection connection) throws SQLException {
        this.intake = intake;
        this.connection = connection;
        this.database = connection.getMetaData();
        this.dialect = Dialect.of(database);
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("select * from " + intake.table() + NO_ROW)) {
            ResultSetMetaData found = none.getMetaData();
            for (int i = 1; i <= found.getColumnCount(); i++) {
                columns.add(found.getColumnName(i));
            }
        } catch (SQLException e) {
            throw refused("table", e);
        }
        this.keys = key();
        this.payload = payloadColumns();
    }

    static SourceTable of(Intake intake, Connection connection) throws SQLException {
        SourceTable table = new SourceTable(intake, connection);
        IntakeRefusal.throwIfAny(table.problems);
        return table;
    }

    private IntakeRefusal refused(String field, SQLException e) throws SQLException {
        if (e.getSQLState() != null && e.getSQLState().startsWith("08")) {
            throw e;
        }
        return new IntakeRefusal(
                intake.problem(field, field + " fails: " + e.getMessage()).toString());
    }

    Dialect dialect() {
        return dialect;
    }

    List<Column> keys() {
        return keys;
    }

    List<Column> payload() {
        return payload;
    }

    /** The begin of names that no column has. */
    String alias() {
        String alias = "caravan_";
        while (startsAColumn(alias)) {
            alias += "x";
        }
        return alias;
    }

    private boolean startsAColumn(String alias) {
        return columns.stream()
                .anyMatch(column -> column.toLowerCase(Locale.ROOT).startsWith(alias));
    }

    private List<Column> key() throws SQLException {
        if (!intake.key().isEmpty()) {
            return intake.key().stream()
                    .map(sql -> new Column("key", sql, name(sql).orElse(sql)))
                    .toList();
        }
        Map<Integer, String> primary = new TreeMap<>();
        List<String> path = path();
        try (ResultSet found = database.getPrimaryKeys(path.get(0), path.get(1), path.get(2))) {
            while (found.next()) {
                primary.put(found.getInt("KEY_SEQ"), found.getString("COLUMN_NAME"));
            }
        }
        if (primary.isEmpty()) {
            problems.add(
                    intake.problem(
                            "table",
                            intake.table()
                                    + " has no primary key that the driver finds. Name the columns that identify a row: key: id"));
        }
        return primary.values().stream()
                .map(name -> new Column("key", quoted(name), name))
                .toList();
    }

    /** The catalog, the schema (both null if the database has none) and the name of the table, as the catalog has them. */
    private List<String> path() throws SQLException {
        List<String> parts = new ArrayList<>();
        Matcher part = PART.matcher(intake.table());
        int at = 0;
        while (part.region(at, intake.table().length()).lookingAt()) {
            parts.add(inCatalog(part));
            at = part.end() + 1;
            if (at > intake.table().length() || intake.table().charAt(at - 1) != '.') {
                break;
            }
        }
        String name = parts.isEmpty() ? intake.table() : parts.get(parts.size() - 1);
        Optional<String> before = parts.size() > 1 ? Optional.of(parts.get(parts.size() - 2)) : Optional.empty();
        if (dialect == Dialect.MARIADB) {
            return Arrays.asList(before.orElse(connection.getCatalog()), null, name);
        }
        String catalog = parts.size() > 2 ? parts.get(parts.size() - 3) : connection.getCatalog();
        return Arrays.asList(catalog, before.orElse(connection.getSchema()), name);
    }

    private String inCatalog(Matcher part) throws SQLException {
        if (part.group(4) != null) {
            return database.storesUpperCaseIdentifiers()
                    ? part.group(4).toUpperCase(Locale.ROOT)
                    : database.storesLowerCaseIdentifiers() ? part.group(4).toLowerCase(Locale.ROOT) : part.group(4);
        }
        return part.group(1) != null
                ? part.group(1).replace("\"\"", "\"")
                : part.group(2) != null
                        ? part.group(2).replace("``", "`")
                        : part.group(3).replace("]]", "]");
    }

    /** The name of a column that SQL names, as it is written there; empty for other expressions. */
    private static Optional<String> name(String sql) {
        String rest = sql;
        Matcher part = PART.matcher(rest);
        String name = null;
        int at = 0;
        while (part.region(at, sql.length()).lookingAt()) {
            name = part.group(1) != null
                    ? part.group(1).replace("\"\"", "\"")
                    : part.group(2) != null
                            ? part.group(2).replace("``", "`")
                            : part.group(3) != null ? part.group(3).replace("]]", "]") : part.group(4);
            at = part.end();
            if (at == sql.length()) {
                return name.matches("\\w.*") || part.group(4) == null ? Optional.of(name) : Optional.empty();
            }
            if (sql.charAt(at) != '.') {
                return Optional.empty();
            }
            at++;
        }
        return Optional.empty();
    }

    private String quoted(String name) {
        String quote = dialect == Dialect.MARIADB ? "`" : "\"";
        return quote + name.replace(quote, quote + quote) + quote;
    }

    private List<Column> payloadColumns() {
        Payload given = intake.message().payload();
        return switch (given.kind()) {
            case NONE -> List.of();
            case ROW ->
                columns.stream()
                        .map(name -> new Column("message.payload", quoted(name), name))
                        .toList();
            case COLUMNS ->
                given.expressions().stream()
                        .map(sql -> new Column("message.payload", sql, name(sql).orElse(sql)))
                        .toList();
            case JSON, BYTES ->
                given.expressions().stream()
                        .map(sql -> new Column(
                                given.kind() == Payload.Kind.JSON ? "message.payload" : "message.payloadBytes",
                                sql,
                                "payload"))
                        .toList();
        };
    }

    /** The types of the columns of the statement that reads rows. */
    List<ColumnType> types(String selected, Selection selection) throws SQLException {
        String select = "select " + selected + " from " + intake.table() + NO_ROW;
        List<ColumnType> types = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery(select)) {
            ResultSetMetaData found = none.getMetaData();
            for (int i = 1; i <= found.getColumnCount(); i++) {
                types.add(ColumnType.of(found, i, dialect));
            }
        } catch (SQLException e) {
            throw refused("message", e);
        }
        return types;
    }
}
