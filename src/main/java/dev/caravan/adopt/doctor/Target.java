package dev.caravan.adopt.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The object of an examination: a database, and a table of messages if one was found. The connection is in a read-only transaction.
 *
 * @param table null for the database alone
 */
record Target(Connection connection, MessageTable table, Limits limits) {
    /** In units of the planner: about two seconds on a typical server. */
    private static final double MAX_COST = 200_000;

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z-]+)}");

    /** All rows of a statement on catalogs or views, named by its file. */
    <T> List<T> query(String file, Statement.Row<T> reader, Object... parameters) throws SQLException {
        return Statement.query(connection, file, reader, parameters);
    }

    /** The rows of a statement on the table. Placeholders such as {@code {table}} in the statement are replaced. */
    <T> List<T> rows(String file, Statement.Row<T> reader) throws SQLException {
        return rows(file, Map.of(), reader);
    }

    /**
     * The same with additional placeholders.
     *
     * @throws Examination.NotPossible before anything is read, if no index serves the statement on a large table
     */
    <T> List<T> rows(String file, Map<String, String> placeholders, Statement.Row<T> reader) throws SQLException {
        String sql = sql(file, placeholders);
        if (plan(sql).cost() > MAX_COST) {
            throw new Examination.NotPossible(
                    "no index serves the statement, and the table is too large to be read",
                    "see the findings about indexes");
        }
        return run(sql, reader);
    }

    /** The rows of a statement on a view, with placeholders. */
    <T> List<T> view(String file, Map<String, String> placeholders, Statement.Row<T> reader) throws SQLException {
        return run(filled(SqlFile.file(file), placeholders), reader);
    }

    /** The plan of a statement on the table. */
    Plan plan(String sql) throws SQLException {
        try {
            return Plan.parse(String.join("\n", run("explain (format json) " + sql, row -> row.getString(1))));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Could not parse a plan of Postgres", e);
        }
    }

    String sql(String file, Map<String, String> placeholders) {
        Map<String, String> all = new HashMap<>(table.placeholders());
        all.putAll(placeholders);
        return filled(SqlFile.file(file), all);
    }

    /** Replaces all at once: a name of a table or a column may look like a placeholder, and its quotes would then not hold. */
    private static String filled(String sql, Map<String, String> placeholders) {
        return PLACEHOLDER.matcher(sql).replaceAll(found -> {
            String value = placeholders.get(found.group(1));
            return Matcher.quoteReplacement(value == null ? found.group() : value);
        });
    }

    /** Runs a statement that is not prepared: a condition of the user may contain question marks and braces. */
    private <T> List<T> run(String sql, Statement.Row<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        try (var statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            try (var rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    all.add(reader.read(rows));
                }
            }
        }
        return all;
    }

    /** Changes a setting for the rest of the transaction. */
    void set(String setting) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("set local " + setting);
        }
    }
}
