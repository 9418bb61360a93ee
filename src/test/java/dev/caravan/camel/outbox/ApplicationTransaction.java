package dev.caravan.camel.outbox;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/** An open transaction of the application. */
public final class ApplicationTransaction implements AutoCloseable {
    static final String INSERT =
            "insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', ?, ?, ?::json) returning id";

    private final Connection connection;

    ApplicationTransaction(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
    }

    public Connection connection() {
        return connection;
    }

    public long insert(String key) throws SQLException {
        try (var insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, key);
            insert.setString(2, "order.created");
            insert.setString(3, "{}");
            try (var row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    public void run(String sql) throws SQLException {
        Sql.execute(connection, sql);
    }

    public long number(String query) throws SQLException {
        return Sql.number(connection, query);
    }

    public void commit() throws SQLException {
        connection.commit();
    }

    public void rollback() throws SQLException {
        connection.rollback();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
