package dev.caravan.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Runs SQL text unchanged, without parameters: a question mark in text from a user is an operator, not a parameter. */
public final class PlainSql {
    private PlainSql() {}

    /** Returns the number of changed rows; 0 for a command that changes no rows. */
    public static long execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
            return Math.max(0, statement.getUpdateCount());
        }
    }

    /** All rows. Only for results of bounded size. */
    public static <T> List<T> query(Connection connection, String sql, Statement.Row<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        try (var statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                all.add(reader.read(rows));
            }
        }
        return all;
    }

    /** The first column of the only row. */
    public static long number(Connection connection, String sql) throws SQLException {
        return query(connection, sql, row -> row.getLong(1)).get(0);
    }
}
