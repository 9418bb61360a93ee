package dev.caravan.adopt.intake;

import dev.caravan.adopt.doctor.Column;
import dev.caravan.adopt.doctor.MessageColumns;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.Sentence;
import dev.caravan.base.text.SqlText;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table of any database, as its driver describes it, for the draft of an intake.
 *
 * @param name without schema and quotes
 * @param hasBooleans whether the database has the literals {@code true} and {@code false}
 * @param columns in their order; their types have the names of Postgres, and what is no text, number, time, boolean or uuid has the type
 *     {@code bytea}, {@code json} or another name
 * @param key the columns of the primary key, or else of a unique index without nulls; empty if there is neither
 * @param hasPrimaryKey whether the key is the primary key
 */
record DraftTable(
        String database,
        String name,
        boolean hasBooleans,
        List<Column> columns,
        List<Column> key,
        boolean hasPrimaryKey) {
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

    /** Of a default as SQL Server writes it: {@code ((0))} and {@code (N'NEW')}. */
    private static final Pattern IN_PARENTHESES = Pattern.compile("\\((.*)\\)");

    private static final Set<Integer> BINARY = Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);

    /** Rows of each end of the table that are looked at. */
    private static final int SAMPLE = 1_000;

    private static final int SECONDS = 10;

    /**
     * Reads the description of a table.
     *
     * @param sql the name as a statement of this database has it
     * @throws IntakeRefusal if there is no such table; the message names one that is similar
     */
    static DraftTable of(Connection connection, String sql) throws SQLException {
        SourceTable table;
        try {
            table = SourceTable.of(sql, connection);
        } catch (SQLException e) {
            throw new IntakeRefusal("Could not read the table " + sql + ": "
                    + Sentence.of(ErrorText.withoutSecrets(Formatted.line(String.valueOf(e.getMessage()), 500)))
                    + similar(connection, sql)
                    + " Write the name as a statement of this database has it, with its schema if it needs one.");
        }
        return read(connection, table);
    }

    /** A sentence that names the nearest table of the current schema; empty if there is none. */
    private static String similar(Connection connection, String sql) {
        List<String> names = new ArrayList<>();
        try (ResultSet rows = connection
                .getMetaData()
                .getTables(connection.getCatalog(), null, "%", new String[] {"TABLE", "BASE TABLE"})) {
            while (rows.next() && names.size() < SAMPLE) {
                names.add(rows.getString("TABLE_NAME"));
            }
        } catch (SQLException e) {
            return ""; // the name is wrong, whatever else there is
        }
        return NearestName.to(sql.replaceFirst("^.*\\.", ""), names)
                .map(near -> " Did you mean " + near + "?")
                .orElse("");
    }

    private static DraftTable read(Connection connection, SourceTable table) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String product = database.getDatabaseProductName();
        boolean hasBooleans = product.startsWith("Postgre") || product.equals("H2");
        Set<String> keywords = keywords(database);
        List<String> primary = table.primaryKey(connection);
        List<List<String>> unique = table.indexes(connection).stream()
                .filter(index -> index.unique() && !index.partial())
                .map(SourceTable.Index::columns)
                .filter(names -> !names.contains(null))
                .toList();
        Map<String, Column> columns = new LinkedHashMap<>();
        Set<String> nullable = new HashSet<>();
        try (ResultSet rows = database.getColumns(
                table.catalog(),
                SourceTable.escaped(connection, table.schema()),
                SourceTable.escaped(connection, table.name()),
                null)) {
            while (rows.next()) {
                String defaultValue = rows.getString("COLUMN_DEF"); // first: Oracle streams it
                if (!rows.getString("TABLE_NAME").equals(table.name())) {
                    continue; // the name is a pattern
                }
                String name = rows.getString("COLUMN_NAME");
                String type = type(rows);
                boolean isNumbered = "YES".equals(rows.getString("IS_AUTOINCREMENT"));
                columns.put(
                        name,
                        new Column(
                                name,
                                quoted(name, database, keywords),
                                !hasBooleans && isSmallFlag(name, type) ? "boolean" : type,
                                defaultValue(defaultValue, type),
                                isNumbered,
                                isNumbered ? 1 : 0,
                                primary.equals(List.of(name)),
                                unique.contains(List.of(name))));
                if (rows.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls) {
                    nullable.add(name);
                }
            }
        }
        List<String> key = !primary.isEmpty()
                ? primary
                : unique.stream()
                        .filter(names -> names.stream().noneMatch(nullable::contains))
                        .findFirst()
                        .orElse(List.of());
        return new DraftTable(
                product,
                table.name(),
                hasBooleans,
                List.copyOf(columns.values()),
                key.stream().map(columns::get).filter(Objects::nonNull).toList(),
                !primary.isEmpty());
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

    /** A number of one digit, as databases without booleans have them. */
    private static boolean isSmallFlag(String name, String type) {
        return type.equals("smallint")
                && MessageColumns.isFlag(name.toLowerCase(Locale.ROOT).replace("_", ""));
    }

    private static String type(ResultSet column) throws SQLException {
        String name = String.valueOf(column.getString("TYPE_NAME")).toLowerCase(Locale.ROOT);
        int size = column.getInt("COLUMN_SIZE");
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
        return switch (column.getInt("DATA_TYPE")) {
            case Types.BIT, Types.BOOLEAN -> "boolean";
            case Types.TINYINT, Types.SMALLINT -> "smallint";
            case Types.INTEGER -> "integer";
            case Types.BIGINT -> "bigint";
            case Types.NUMERIC, Types.DECIMAL ->
                column.getInt("DECIMAL_DIGITS") > 0 ? "numeric" : size == 1 ? "smallint" : "bigint";
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
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> size == 16 ? "uuid" : "bytea";
            default -> name;
        };
    }

    /** A default as a literal: without parentheses, and in quotes if the driver omits them, as that of MySQL does. */
    private static String defaultValue(String given, String type) {
        if (given == null || given.strip().equalsIgnoreCase("null")) {
            return null;
        }
        String value = given.strip();
        for (Matcher outer = IN_PARENTHESES.matcher(value); outer.matches(); outer = IN_PARENTHESES.matcher(value)) {
            value = outer.group(1);
        }
        if (value.startsWith("N'")) {
            value = value.substring(1);
        }
        boolean isWord = type.equals("text") && value.matches("[\\w -]+");
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
        for (String end : ends) {
            List<String> values = sample(connection, "select " + column.quoted() + " from " + table + end, SAMPLE);
            values.stream().filter(Objects::nonNull).forEach(value -> counts.merge(value, 1, Integer::sum));
            if (values.size() < SAMPLE) {
                break; // it was the whole table
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
