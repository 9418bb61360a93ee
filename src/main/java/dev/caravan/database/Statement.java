package dev.caravan.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs statements from {@code src/main/resources/sql}. */
public final class Statement {
    /** Converts a row of a result. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    private Statement() {}

    /** All rows. Only for results of bounded size. */
    public static <T> List<T> query(Connection connection, String file, Row<T> reader, Object... parameters)
            throws SQLException {
        return queryText(connection, SqlFile.file(file), reader, parameters);
    }

    /** All rows of a query given as SQL text, such as several files combined. Only for results of bounded size. */
    public static <T> List<T> queryText(Connection connection, String sql, Row<T> reader, Object... parameters)
            throws SQLException {
        List<T> all = new ArrayList<>();
        try (PreparedStatement statement = prepared(connection, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                all.add(reader.read(rows));
            }
        }
        return all;
    }

    /** Runs a statement that returns no rows. Returns the number of changed rows. */
    public static int update(Connection connection, String file, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepared(connection, SqlFile.file(file), parameters)) {
            return statement.executeUpdate();
        }
    }

    public static PreparedStatement prepared(Connection connection, String sql, Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, asJdbc(connection, parameters[i]));
        }
        return statement;
    }

    private static Object asJdbc(Connection connection, Object value) throws SQLException {
        if (value instanceof long[] longs) {
            return connection.createArrayOf(
                    "bigint", Arrays.stream(longs).boxed().toArray());
        }
        if (value instanceof String[] texts) {
            return connection.createArrayOf("text", texts);
        }
        if (value instanceof Instant instant) {
            return time(instant);
        }
        return value;
    }

    /** Converts {@link Instant#MIN} and {@link Instant#MAX} to the infinities of Postgres. */
    private static OffsetDateTime time(Instant instant) {
        if (instant.equals(Instant.MAX)) {
            return OffsetDateTime.MAX;
        }
        return instant.equals(Instant.MIN) ? OffsetDateTime.MIN : instant.atOffset(ZoneOffset.UTC);
    }
}
