package dev.caravan.adopt.intake;

import dev.caravan.adopt.doctor.Column;
import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.SqlText;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table of any database, as its driver describes it, for the draft of an intake.
 *
 * @param catalog in which it is; may be null
 * @param name without schema and quotes
 * @param quoted the same as a statement has it
 * @param hasBooleans whether the database has the literals {@code true} and {@code false}
 * @param columns in their order; their types have the names of Postgres, and what is no text, number, time, boolean or uuid has the type
 *     {@code bytea}, {@code json} or another name
 * @param key the columns of the primary key, or else of a unique index without nulls; empty if there is neither
 * @param hasPrimaryKey whether the key is the primary key
 * @param indexed whether the driver describes the indexes; without it, the following are incomplete
 * @param leading the first column of each index without a condition
 * @param partial the conditions of the indexes that have one
 */
record DraftTable(
        String database,
        String catalog,
        String name,
        String quoted,
        boolean hasBooleans,
        List<Column> columns,
        List<Column> key,
        boolean hasPrimaryKey,
        boolean indexed,
        Set<String> leading,
        Set<String> partial) {
    /** Words that some database accepts as the name of a column only in quotes, besides those of Postgres and those that the driver names. */
    private static final Set<String> RESERVED = Set.of("""
            access add after alter audit backup before begin between break browse bulk by call cascade change char character checkpoint close
            cluster clustered comment commit compress compute condition connect contains continue convert count cross cursor database databases
            date day dbcc dec decimal declare delayed delete deny describe disk double drop dump each elseif enclosed errlvl escape escaped exclusive
            exec execute exists exit explain external file fillfactor first float force fulltext function generated get go goto groups holdlock hour
            identified identity if ignore immediate increment index infile inout insert int integer interval iterate join key keys kill lag last
            lead leave level lines load lock long loop match maxextents merge minus minute mod mode modify month names national nocheck nowait
            number numeric object of off offline offsets online open option optionally outfile over partition pctfree percent pivot plan
            position precision print prior proc procedure public purge raise raw read reads real release rename repeat replace replication
            require resource restore restrict return revert revoke rlike rollback row rowcount rowid rownum rows rule save schema schemas second
            securityaudit sensitive separator session set share show shutdown signal size smallint spatial specific sql start starting statistics
            stored successful synonym sysdate textsize top tran transaction trigger truncate uid undo unlock unpivot unsigned until update usage use
            validate value values varchar varchar2 varying view virtual waitfor while within write xor year zerofill
            """.trim().split("\\s+"));

    private static final Pattern PART =
            Pattern.compile("\\s*(?:\"((?:[^\"]|\"\")*)\"|`((?:[^`]|``)*)`|\\[((?:[^]]|]])*)]|([^.\\s]+))\\s*(\\.|$)");

    /** Of a default as SQL Server writes it: {@code ((0))} and {@code (N'NEW')}. */
    private static final Pattern IN_PARENTHESES = Pattern.compile("\\((.*)\\)");

    private static final Set<Integer> BINARY = Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);

    /** Rows of each end of the table that are looked at. */
    private static final int SAMPLE = 1_000;

    private static final int SECONDS = 10;

    /** What the driver says about a column. */
    private record Described(
            String name,
            int type,
            String typeName,
            int size,
            int scale,
            boolean nullable,
            String defaultValue,
            boolean numbered) {}

    /**
     * @param text the name as a statement of this database has it
     * @throws IntakeRefusal if there is no such table; the message names those that are similar
     */
    static DraftTable of(Connection connection, String text) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        List<String> parts = parts(text, database);
        String table = parts.get(parts.size() - 1);
        boolean isCatalog = !database.supportsSchemasInDataManipulation();
        String second = parts.size() > 1 ? parts.get(parts.size() - 2) : null;
        String catalog =
                parts.size() > 2 ? parts.get(0) : isCatalog && second != null ? second : connection.getCatalog();
        String schema = isCatalog ? null : second != null ? second : schema(connection);
        Optional<String[]> found = find(database, catalog, schema, table);
        if (found.isEmpty() && second == null && !isCatalog) {
            found = find(database, catalog, null, table);
        }
        String[] place = found.orElseThrow(() -> new IntakeRefusal("Could not find the table " + text
                + similar(database, catalog, schema, table)
                + " Write the name as a statement of this database has it, with its schema if it needs one."));
        return read(connection, database, place);
    }

    private static String schema(Connection connection) throws SQLException {
        try {
            return connection.getSchema();
        } catch (SQLException | AbstractMethodError e) {
            return null; // an old driver
        }
    }

    /** The parts of a name, as the catalog has them. */
    private static List<String> parts(String text, DatabaseMetaData database) throws SQLException {
        Matcher part = PART.matcher(text);
        List<String> parts = new ArrayList<>();
        int end = 0;
        while (end < text.length() && part.find(end) && part.start() == end) {
            String plain = part.group(4);
            parts.add(
                    plain == null
                            ? Stream.of(
                                            unquoted(part.group(1), "\""),
                                            unquoted(part.group(2), "`"),
                                            unquoted(part.group(3), "]"))
                                    .flatMap(Optional::stream)
                                    .collect(Collectors.joining())
                            : database.storesUpperCaseIdentifiers()
                                    ? plain.toUpperCase(Locale.ROOT)
                                    : database.storesLowerCaseIdentifiers() ? plain.toLowerCase(Locale.ROOT) : plain);
            end = part.end();
        }
        if (end < text.length() || parts.isEmpty() || text.stripTrailing().endsWith(".")) {
            throw new IntakeRefusal("The name of the table cannot be read: " + text
                    + ". Write it as a statement of this database has it, for example shop.outbox.");
        }
        return parts;
    }

    private static Optional<String> unquoted(String text, String quote) {
        return Optional.ofNullable(text).map(name -> name.replace(quote + quote, quote));
    }

    /** Catalog, schema and name of the table; one that differs in case is taken if it is the only one. */
    private static Optional<String[]> find(DatabaseMetaData database, String catalog, String schema, String table)
            throws SQLException {
        List<String[]> all = new ArrayList<>();
        try (ResultSet rows = database.getTables(catalog, escaped(schema, database), "%", null)) {
            while (rows.next()) {
                String name = rows.getString("TABLE_NAME");
                if (name.equalsIgnoreCase(table)) {
                    all.add(new String[] {rows.getString("TABLE_CAT"), rows.getString("TABLE_SCHEM"), name});
                }
            }
        }
        List<String[]> exact =
                all.stream().filter(each -> each[2].equals(table)).toList();
        return exact.size() == 1 || all.size() == 1
                ? Optional.of(exact.isEmpty() ? all.get(0) : exact.get(0))
                : Optional.empty();
    }

    private static String similar(DatabaseMetaData database, String catalog, String schema, String table) {
        Set<String> names = new LinkedHashSet<>();
        try (ResultSet rows = database.getTables(catalog, escaped(schema, database), "%", new String[] {"TABLE"})) {
            while (rows.next() && names.size() < SAMPLE) {
                names.add(rows.getString("TABLE_NAME"));
            }
        } catch (SQLException e) {
            return "."; // the name is wrong, whatever else there is
        }
        return NearestName.to(table, names)
                .map(near -> ", did you mean " + near + "?")
                .orElse(".");
    }

    /** In a pattern of the metadata, {@code _} and {@code %} match anything. */
    private static String escaped(String name, DatabaseMetaData database) throws SQLException {
        String escape = database.getSearchStringEscape();
        return name == null || escape == null || escape.isEmpty()
                ? name
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }

    private static DraftTable read(Connection connection, DatabaseMetaData database, String[] place)
            throws SQLException {
        List<Described> described = columns(database, place);
        List<String> primary = primaryKey(database, place);
        Map<String, List<String>> unique = new TreeMap<>();
        Set<String> leading = new LinkedHashSet<>();
        Set<String> partial = new LinkedHashSet<>();
        boolean indexed = true;
        try {
            indexes(database, place, unique, leading, partial);
        } catch (SQLException e) {
            unique.clear(); // a view, for some drivers
            indexed = false;
        }
        if (!primary.isEmpty()) {
            leading.add(primary.get(0));
        }
        Set<String> nullable = described.stream()
                .filter(Described::nullable)
                .map(Described::name)
                .collect(Collectors.toSet());
        List<String> key = !primary.isEmpty()
                ? primary
                : unique.values().stream()
                        .filter(columns ->
                                columns.stream().noneMatch(column -> column == null || nullable.contains(column)))
                        .findFirst()
                        .orElse(List.of());
        Set<String> single = unique.values().stream()
                .filter(columns -> columns.size() == 1)
                .map(columns -> columns.get(0))
                .collect(Collectors.toSet());
        String product = database.getDatabaseProductName();
        List<Column> columns = new ArrayList<>();
        Set<String> keywords = keywords(database);
        for (Described each : described) {
            columns.add(new Column(
                    each.name(),
                    quoted(each.name(), database, keywords),
                    type(each),
                    defaultValue(each),
                    each.numbered(),
                    each.numbered() ? 1 : 0,
                    primary.equals(List.of(each.name())),
                    single.contains(each.name())));
        }
        return new DraftTable(
                product,
                place[0],
                place[2],
                quoted(place[2], database, keywords),
                product.startsWith("Postgre") || product.equals("H2"),
                columns,
                key.stream()
                        .map(name -> columns.stream()
                                .filter(column -> column.name().equals(name))
                                .findFirst())
                        .flatMap(Optional::stream)
                        .toList(),
                !primary.isEmpty(),
                indexed,
                leading,
                partial);
    }

    private static List<Described> columns(DatabaseMetaData database, String[] place) throws SQLException {
        List<Described> columns = new ArrayList<>();
        try (ResultSet rows =
                database.getColumns(place[0], escaped(place[1], database), escaped(place[2], database), null)) {
            while (rows.next()) {
                String defaultValue = rows.getString("COLUMN_DEF"); // first: Oracle streams it
                if (rows.getString("TABLE_NAME").equals(place[2])) {
                    columns.add(new Described(
                            rows.getString("COLUMN_NAME"),
                            rows.getInt("DATA_TYPE"),
                            String.valueOf(rows.getString("TYPE_NAME")).toLowerCase(Locale.ROOT),
                            rows.getInt("COLUMN_SIZE"),
                            rows.getInt("DECIMAL_DIGITS"),
                            rows.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls,
                            defaultValue,
                            "YES".equals(rows.getString("IS_AUTOINCREMENT"))));
                }
            }
        }
        return columns;
    }

    private static List<String> primaryKey(DatabaseMetaData database, String[] place) throws SQLException {
        Map<Integer, String> columns = new TreeMap<>();
        try (ResultSet rows = database.getPrimaryKeys(place[0], place[1], place[2])) {
            while (rows.next()) {
                columns.put(rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME"));
            }
        }
        return List.copyOf(columns.values());
    }

    private static void indexes(
            DatabaseMetaData database,
            String[] place,
            Map<String, List<String>> unique,
            Set<String> leading,
            Set<String> partial)
            throws SQLException {
        try (ResultSet rows = database.getIndexInfo(place[0], place[1], place[2], false, true)) {
            while (rows.next()) {
                String index = rows.getString("INDEX_NAME");
                String column = rows.getString("COLUMN_NAME"); // null or an expression for some
                String condition = rows.getString("FILTER_CONDITION");
                if (index == null || column == null) {
                    continue;
                }
                if (condition != null && !condition.isBlank()) {
                    partial.add(condition);
                } else {
                    if (rows.getInt("ORDINAL_POSITION") <= 1) {
                        leading.add(column);
                    }
                    if (!rows.getBoolean("NON_UNIQUE")) {
                        unique.computeIfAbsent(index, name -> new ArrayList<>()).add(column);
                    }
                }
            }
        }
    }

    private static Set<String> keywords(DatabaseMetaData database) throws SQLException {
        return Stream.of(database.getSQLKeywords().split(","))
                .map(word -> word.strip().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    /** The name as a statement of this database needs it; as a person would write it if it needs no quotes. */
    private static String quoted(String name, DatabaseMetaData database, Set<String> keywords) throws SQLException {
        String lower = name.toLowerCase(Locale.ROOT);
        boolean isFolded = database.storesUpperCaseIdentifiers()
                ? name.equals(name.toUpperCase(Locale.ROOT))
                : !database.storesLowerCaseIdentifiers() || name.equals(lower);
        boolean isPlain = name.matches("[A-Za-z][A-Za-z0-9_]*")
                && isFolded
                && SqlText.identifier(lower).equals(lower)
                && !RESERVED.contains(lower)
                && !keywords.contains(lower);
        if (isPlain) {
            return database.storesUpperCaseIdentifiers() ? lower : name;
        }
        String quote = database.getIdentifierQuoteString().strip();
        return quote.isEmpty() ? name : quote + name.replace(quote, quote + quote) + quote;
    }

    private static String type(Described column) {
        String name = column.typeName();
        if (name.equals("uuid") || name.equals("uniqueidentifier")) {
            return "uuid";
        }
        if (name.equals("json") || name.equals("jsonb")) {
            return "json";
        }
        if (name.contains("with time zone") && !name.contains("local")
                || name.equals("timestamptz")
                || name.equals("datetimeoffset")) {
            return "timestamp with time zone";
        }
        return switch (column.type()) {
            case Types.BIT, Types.BOOLEAN -> "boolean";
            case Types.TINYINT, Types.SMALLINT -> "smallint";
            case Types.INTEGER -> "integer";
            case Types.BIGINT -> "bigint";
            case Types.NUMERIC, Types.DECIMAL ->
                column.scale() > 0 ? "numeric" : column.size() == 1 ? "smallint" : "bigint";
            case Types.DATE -> "date";
            case Types.TIMESTAMP -> "timestamp without time zone";
            case Types.TIMESTAMP_WITH_TIMEZONE -> "timestamp with time zone";
            case Types.CHAR,
                    Types.VARCHAR,
                    Types.LONGVARCHAR,
                    Types.NCHAR,
                    Types.NVARCHAR,
                    Types.LONGNVARCHAR,
                    Types.CLOB,
                    Types.NCLOB -> "text";
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB ->
                column.size() == 16 ? "uuid" : "bytea";
            default -> name;
        };
    }

    /** A default as a literal: without parentheses, and in quotes if the driver omits them, as that of MySQL does. */
    private static String defaultValue(Described column) {
        String value = column.defaultValue();
        if (value == null || value.strip().equalsIgnoreCase("null")) {
            return null;
        }
        value = value.strip();
        for (Matcher outer = IN_PARENTHESES.matcher(value); outer.matches(); outer = IN_PARENTHESES.matcher(value)) {
            value = outer.group(1);
        }
        if (value.startsWith("N'")) {
            value = value.substring(1);
        }
        boolean isWord = type(column).equals("text") && value.matches("[\\w -]+");
        return isWord ? SqlText.literal(value) : value;
    }

    /**
     * The values of a column with the number of times, the most frequent first, in rows of both ends of the table. Bounded: no index is needed.
     *
     * @param table as a statement has it
     */
    Map<String, Integer> values(Connection connection, String table, Column column) throws SQLException {
        Map<String, Integer> counts = new TreeMap<>();
        List<String> ends = new ArrayList<>();
        if (!key.isEmpty()) {
            ends.add(" order by "
                    + key.stream().map(each -> each.quoted() + " desc").collect(Collectors.joining(", ")));
        }
        ends.add("");
        int read = SAMPLE;
        for (int i = 0;
                i < ends.size() && read == SAMPLE;
                i++) { // the second end only if the first is not the whole table
            read = 0;
            for (String value :
                    sample(connection, "select " + column.quoted() + " from " + table + ends.get(i), SAMPLE)) {
                read++;
                if (value != null) {
                    counts.merge(value, 1, Integer::sum);
                }
            }
        }
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, LinkedHashMap::new));
    }

    /** The values of the first column of some rows; null for null. */
    static List<String> sample(Connection connection, String sql, int rows) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.setMaxRows(rows);
            statement.setFetchSize(rows);
            statement.setQueryTimeout(SECONDS);
            List<String> values = new ArrayList<>();
            try (ResultSet found = statement.executeQuery(sql)) {
                boolean isBinary = BINARY.contains(found.getMetaData().getColumnType(1));
                while (found.next()) {
                    byte[] bytes = isBinary ? found.getBytes(1) : null;
                    values.add(
                            isBinary
                                    ? bytes == null ? null : new String(bytes, StandardCharsets.UTF_8)
                                    : found.getString(1));
                }
            }
            return values;
        }
    }
}
