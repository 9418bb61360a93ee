package dev.caravan.relay;

import dev.caravan.TestPostgres;
import dev.caravan.settings.Settings;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A database with an outbox for one relay. */
final class RelayDatabase implements AutoCloseable {
    private final String name;
    private final SingleConnectionDataSource connection;
    private final JdbcTemplate jdbc;

    RelayDatabase() throws SQLException {
        var server = TestPostgres.server();
        name = TestPostgres.databaseWithTables();
        connection = new SingleConnectionDataSource(server.dataSource(name).getConnection(), true);
        jdbc = new JdbcTemplate(connection);
    }

    Settings settings(Path routes, Map<String, String> more) {
        var server = TestPostgres.server();
        Map<String, String> values = new HashMap<>(Map.of(
                "caravan.db.url", server.url(name),
                "caravan.db.user", server.user(),
                "caravan.db.password", server.password(),
                "caravan.routes", routes.toString(),
                "camel.main.routesReloadDirectoryRecursive", "false"));
        values.putAll(more);
        return Settings.load(Path.of("none.properties"), values);
    }

    void insert(int count) {
        jdbc.update(
                "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " select 'order', (n % 10)::text, 'order.created', '{}' from generate_series(1, ?) n",
                count);
    }

    /** Whether the subscription has delivered everything up to a position. */
    boolean delivered(String subscription, long position) {
        return jdbc.queryForObject(
                        "select count(*) from outbox_subscription"
                                + " where name = ? and position = ? and isempty(gaps) and older_gaps is null",
                        Long.class,
                        subscription,
                        position)
                == 1;
    }

    /** Ends all sessions but this one and lets no new one begin. */
    void refuseConnections() throws SQLException {
        allowConnections(false);
        jdbc.queryForList("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()");
    }

    void acceptConnections() throws SQLException {
        allowConnections(true);
    }

    private void allowConnections(boolean allowed) throws SQLException {
        try (var other = TestPostgres.server().dataSource("postgres").getConnection();
                var statement = other.createStatement()) {
            statement.execute("alter database " + name + " allow_connections " + allowed);
        }
    }

    JdbcTemplate jdbc() {
        return jdbc;
    }

    @Override
    public void close() {
        connection.destroy();
    }
}
