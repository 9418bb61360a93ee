package dev.caravan.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import javax.sql.DataSource;
import org.postgresql.PGStatement;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.SqlParameter;
import org.springframework.jdbc.core.namedparam.EmptySqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.namedparam.ParsedSql;

/**
 * A statement with named parameters ({@code :name}) and their values. Spring parses the names, so an operator with a question mark is written
 * {@code ??}, and a colon that is part of the statement {@code \:}; {@code ::type} stays as it is.
 *
 * <pre>{@code
 * List<AuditEntry> latest = Sql.file("operate/latest_audit").with("limit", 10).query(connection, AuditEntry.class);
 * }</pre>
 *
 * A value is anything that the driver knows, with {@code null}, {@code int[]} and {@code long[]}, or a {@code String[]}, an enum (its name) or
 * an {@link Instant} (its smallest and largest value are the infinities of Postgres). A parameter without a value, and a value without a parameter, are
 * errors of the code: {@link IllegalArgumentException}.
 *
 * <p>Methods with a connection or data source throw what the driver throws; those with {@link JdbcOperations} take part in Spring's transaction
 * and throw its {@code DataAccessException}. Results are read completely, so they must be of bounded size.
 */
public final class Sql {
    /** Converts a row of a result. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** The text for the driver, and the name of the parameter at each question mark. */
    private record Parsed(String text, List<String> names) {
        static Parsed of(String sql) {
            ParsedSql parsed = NamedParameterUtils.parseSqlStatement(sql);
            return new Parsed(
                    NamedParameterUtils.substituteNamedParameters(parsed, null),
                    NamedParameterUtils.buildSqlParameterList(parsed, EmptySqlParameterSource.INSTANCE).stream()
                            .map(SqlParameter::getName)
                            .toList());
        }
    }

    private static final Map<String, Parsed> FILES = new ConcurrentHashMap<>();
    private static final Map<Class<?>, Row<?>> RECORDS = new ConcurrentHashMap<>();

    private final Parsed parsed;
    private final Map<String, Object> values = new HashMap<>();
    private boolean isPlannedEachTime;

    private Sql(Parsed parsed) {
        this.parsed = parsed;
    }

    /** @param name folder and file name in {@code src/main/resources/sql}, without extension; see {@link SqlFile} */
    public static Sql file(String name) {
        return new Sql(FILES.computeIfAbsent(name, file -> Parsed.of(SqlFile.file(file))));
    }

    /** A statement that the code composes. Text of users never becomes part of one. */
    public static Sql text(String sql) {
        return new Sql(Parsed.of(sql));
    }

    /** Gives a parameter its value, everywhere it occurs. */
    public Sql with(String name, Object value) {
        if (!parsed.names().contains(name)) {
            throw new IllegalArgumentException("The statement has no parameter " + name + ": " + parsed.text());
        }
        values.put(name, value);
        return this;
    }

    /**
     * Gives a parameter an array with the value of each row.
     *
     * @param array creates an array of a length
     */
    public <T, V> Sql withEach(String name, Collection<T> rows, Function<? super T, V> value, IntFunction<V[]> array) {
        return with(name, rows.stream().map(value).toArray(array));
    }

    /** Gives the parameters of the statement their values among these. */
    public Sql withKnown(Map<String, Object> known) {
        known.forEach((name, value) -> {
            if (parsed.names().contains(name)) {
                values.put(name, value);
            }
        });
        return this;
    }

    /** Lets the server plan the statement at each execution for the tables as they are then, although the plans of the session are generic. */
    public Sql plannedEachTime() {
        isPlannedEachTime = true;
        return this;
    }

    /** All rows. */
    public <T> List<T> query(Connection connection, Row<T> reader) throws SQLException {
        try (PreparedStatement statement = prepared(connection);
                ResultSet rows = statement.executeQuery()) {
            return all(rows, reader);
        }
    }

    /** All rows as {@link #records}. */
    public <T extends Record> List<T> query(Connection connection, Class<T> type) throws SQLException {
        return query(connection, records(type));
    }

    /**
     * Converts each row to a record: the column {@code first_failed} is the component {@code firstFailed}, unless {@link Column} names another
     * one. A component that is a record has columns of its own. An array is a list, which is empty for null; seconds are a duration. A text
     * such as {@code no relay} is the constant {@code NO_RELAY} of an enum. An optional record is empty if its first column is null.
     */
    @SuppressWarnings("unchecked")
    public static <T extends Record> Row<T> records(Class<T> type) {
        return (Row<T>) RECORDS.computeIfAbsent(type, of -> new RecordRow(of, ""));
    }

    public <T> List<T> query(DataSource database, Row<T> reader) throws SQLException {
        try (Connection connection = database.getConnection()) {
            return query(connection, reader);
        }
    }

    public <T> List<T> query(JdbcOperations jdbc, Row<T> reader) {
        return jdbc.execute((Connection connection) -> query(connection, reader));
    }

    public <T extends Record> Optional<T> first(Connection connection, Class<T> type) throws SQLException {
        return first(connection, records(type));
    }

    /** The first row; empty if there is none. */
    public <T> Optional<T> first(Connection connection, Row<T> reader) throws SQLException {
        return query(connection, reader).stream().findFirst();
    }

    public <T extends Record> Optional<T> first(DataSource database, Class<T> type) throws SQLException {
        return first(database, records(type));
    }

    public <T> Optional<T> first(DataSource database, Row<T> reader) throws SQLException {
        return query(database, reader).stream().findFirst();
    }

    public <T> Optional<T> first(JdbcOperations jdbc, Row<T> reader) {
        return query(jdbc, reader).stream().findFirst();
    }

    /** Returns the number of changed rows. */
    public int update(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepared(connection)) {
            return statement.executeUpdate();
        }
    }

    public int update(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection()) {
            return update(connection);
        }
    }

    public int update(JdbcOperations jdbc) {
        Integer changed = jdbc.execute((Connection connection) -> update(connection));
        return changed;
    }

    /** A time, if there is one. */
    public static Optional<Instant> time(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }

    /** A time that is not null. */
    public static Instant instant(ResultSet row, String column) throws SQLException {
        return time(row, column).orElseThrow();
    }

    /** The text for the driver, with a question mark for each parameter. */
    public String text() {
        return parsed.text();
    }

    /** The values, in the order of the question marks. */
    public List<Object> values() {
        List<Object> all = new ArrayList<>(); // may contain null
        parsed.names().forEach(name -> all.add(values.get(name)));
        return all;
    }

    /** The statement with its values, for a caller that reads large results or changes its settings. */
    public PreparedStatement prepared(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(parsed.text());
        try {
            if (isPlannedEachTime) {
                statement
                        .unwrap(PGStatement.class)
                        .setPrepareThreshold(0); // the server keeps no statement, and so no plan
            }
            bind(statement);
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /**
     * Runs text unchanged, without parameters: in text of a user, question marks, colons and braces are part of it.
     *
     * @return the number of changed rows; 0 for a command that changes no rows
     */
    public static long execute(Connection connection, String text) throws SQLException {
        try (var statement = plain(connection)) {
            statement.execute(text);
            return Math.max(0, statement.getUpdateCount());
        }
    }

    /** All rows of text that runs unchanged, as {@link #execute} does. */
    public static <T> List<T> rows(Connection connection, String text, Row<T> reader) throws SQLException {
        try (var statement = plain(connection);
                ResultSet rows = statement.executeQuery(text)) {
            return all(rows, reader);
        }
    }

    /** The first column of the only row of text that runs unchanged. */
    public static long number(Connection connection, String text) throws SQLException {
        return rows(connection, text, row -> row.getLong(1)).get(0);
    }

    private static Statement plain(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setEscapeProcessing(false);
        return statement;
    }

    private static <T> List<T> all(ResultSet rows, Row<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        while (rows.next()) {
            all.add(reader.read(rows));
        }
        return all;
    }

    /** Sets the values in a statement that was prepared from {@link #text()}. */
    public void bind(PreparedStatement statement) throws SQLException {
        for (int i = 0; i < parsed.names().size(); i++) {
            String name = parsed.names().get(i);
            Object value = values.get(name);
            if (value == null && !values.containsKey(name)) {
                throw new IllegalArgumentException("Parameter " + name + " has no value: " + parsed.text());
            }
            statement.setObject(i + 1, asJdbc(statement.getConnection(), value));
        }
    }

    private static Object asJdbc(Connection connection, Object value) throws SQLException {
        if (value instanceof String[] texts) {
            return connection.createArrayOf("text", texts);
        }
        if (value instanceof Instant instant) {
            return time(instant);
        }
        return value instanceof Enum<?> constant ? constant.name() : value;
    }

    /** Converts {@link Instant#MIN} and {@link Instant#MAX} to the infinities of Postgres. */
    private static OffsetDateTime time(Instant instant) {
        if (instant.equals(Instant.MAX)) {
            return OffsetDateTime.MAX;
        }
        return instant.equals(Instant.MIN) ? OffsetDateTime.MIN : instant.atOffset(ZoneOffset.UTC);
    }
}
