package dev.caravan.adopt.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The object of an examination: a database, and a table of messages if one was found. The connection is in a read-only transaction.
 * Statements on catalogs and views have the names of {@link MessageTable#values} and of the limits as parameters. Statements on the table
 * have them as placeholders, because the names of tables and columns and a condition of the user are part of them: {@code {table}} is the
 * value as it is, {@code {text table}} the value as a text.
 *
 * @param table null for the database alone
 */
record Target(Connection connection, MessageTable table, Limits limits) {
    /** In units of the planner: about two seconds on a typical server. */
    private static final double MAX_COST = 200_000;

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(text )?([a-z_]+)}");

    /** Runs a statement on catalogs or views that returns findings. */
    void find(String file, Consumer<Finding> found) throws SQLException {
        query(file, row -> accept(row, found));
    }

    /** All rows of a statement on catalogs or views. */
    <T> List<T> query(String file, Sql.Row<T> reader) throws SQLException {
        return Sql.file(file).withKnown(values()).query(connection, reader);
    }

    /** All rows of a statement on catalogs or views, as records. */
    <T extends Record> List<T> query(String file, Class<T> type) throws SQLException {
        return Sql.file(file).withKnown(values()).query(connection, type);
    }

    private Map<String, Object> values() {
        Map<String, Object> values = new HashMap<>(limits.values());
        values.putAll(table == null ? Map.of("parts", new long[0]) : table.values());
        return values;
    }

    /**
     * Runs a statement on the table that returns findings.
     *
     * @throws Examination.NotPossible before anything is read, if no index serves the statement on a large table
     */
    void findInRows(String file, Consumer<Finding> found) throws SQLException {
        rows(file, Map.of(), row -> accept(row, found));
    }

    /** Passes each finding on as it is read: a later row may report that the rest cannot be examined. */
    private static Finding accept(ResultSet row, Consumer<Finding> found) throws SQLException {
        Finding finding = Finding.read(row);
        found.accept(finding);
        return finding;
    }

    /**
     * Reports that messages are published in the order of a time, with the number of messages that this affects.
     *
     * @param reader who uses this order
     */
    void findTimeOrder(Column time, String reader, Consumer<Finding> found) throws SQLException {
        Optional<Column> numbered = table.columns().integerId().filter(id -> id.sequence() != 0);
        Map<String, Object> more = new HashMap<>();
        more.put("time", time.quoted());
        more.put("time_name", time.name());
        more.put("reader", reader);
        more.put("numbered", numbered.map(Column::name).orElse(null));
        more.put("place", numbered.orElse(time).quoted());
        more.put(
                "latest_place", numbered.orElse(time).quoted() + (numbered.isPresent() ? " desc" : " desc nulls last"));
        rows("adopt/time_order", more, row -> accept(row, found));
    }

    /** The number of pending messages, up to a bound. */
    String pendingCount() throws SQLException {
        long pending = rows("adopt/pending_count", Map.of(), row -> row.getLong("pending"))
                .get(0);
        return String.format(Locale.ROOT, "%,d%s", pending, pending >= 10_000 ? " or more" : "");
    }

    /** The rows of a statement on the table, with additional placeholders. */
    <T> List<T> rows(String file, Map<String, Object> more, Sql.Row<T> reader) throws SQLException {
        String sql = filled(file, more);
        if (plan(sql).cost() > MAX_COST) {
            throw new Examination.NotPossible(
                    "no index serves the statement, and the table is too large to be read",
                    "see the findings about indexes");
        }
        return Sql.rows(connection, sql, reader);
    }

    /** The rows of a statement on a view, with placeholders. */
    <T> List<T> view(String file, Map<String, Object> more, Sql.Row<T> reader) throws SQLException {
        return Sql.rows(connection, filled(file, more), reader);
    }

    /** The plan of a statement on the table, named by its file. */
    Plan planOf(String file) throws SQLException {
        return plan(filled(file, Map.of()));
    }

    private Plan plan(String sql) throws SQLException {
        try {
            return Plan.parse(
                    String.join("\n", Sql.rows(connection, "explain (format json) " + sql, row -> row.getString(1))));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Could not parse a plan of Postgres", e);
        }
    }

    /** Replaces all at once: a name of a table or a column may look like a placeholder, and its quotes would then not hold. */
    private String filled(String file, Map<String, Object> more) {
        Map<String, Object> values = values();
        values.putAll(more);
        return PLACEHOLDER.matcher(SqlFile.file(file)).replaceAll(found -> {
            if (!values.containsKey(found.group(2))) {
                throw new IllegalArgumentException(file + " has an unknown placeholder " + found.group());
            }
            Object value = values.get(found.group(2));
            String text = value == null ? "null" : SqlText.literal(value.toString());
            return Matcher.quoteReplacement(found.group(1) == null ? "" + value : text + "::text");
        });
    }

    /** Whether the role may lock the table against changes of its indexes, statistics and policies. A replica has no such locks. */
    boolean mayLock() throws SQLException {
        return query("adopt/may_lock", row -> row.getBoolean("may_lock")).get(0);
    }

    /** Changes a setting for the rest of the transaction. */
    void set(String setting) throws SQLException {
        Sql.execute(connection, "set local " + setting);
    }
}
