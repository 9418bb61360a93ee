package dev.caravan.schema;

import dev.caravan.TestPostgres;
import dev.caravan.database.Database;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A fresh database with the tables of the outbox, and short ways to put things into it. */
public final class OutboxDatabase {
    public final String name;
    public final DataSource dataSource;

    private OutboxDatabase(String name) {
        this.name = name;
        this.dataSource = TestPostgres.server().dataSource(name);
    }

    public static OutboxDatabase empty() throws SQLException {
        return new OutboxDatabase(TestPostgres.server().createDatabase());
    }

    public static OutboxDatabase withTables() throws SQLException {
        return new OutboxDatabase(TestPostgres.databaseWithTables());
    }

    public DataSource as(String role, String password) {
        return Database.unpooled(TestPostgres.server().url(name), role, password);
    }

    public void execute(String sql) throws SQLException {
        try (var connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public void insert(int messages) throws SQLException {
        execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'order', n::text, 'order.created', '{}' from generate_series(1, " + messages + ") n");
    }

    public long number(String query) throws SQLException {
        try (var connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    public String text(String query) throws SQLException {
        try (var connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
