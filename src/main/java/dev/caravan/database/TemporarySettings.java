package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Other settings of a session for some statements that cannot run in a transaction of the client. Closing gives the settings the values that
 * they had before; {@code reset} would give them those of the role.
 */
public final class TemporarySettings implements AutoCloseable {
    private final Connection connection;
    private final Map<String, String> before = new LinkedHashMap<>();

    /** @param settings values by the names of the settings */
    public TemporarySettings(Connection connection, Map<String, String> settings) throws SQLException {
        this.connection = connection;
        Sql.text("select name, current_setting(name) from pg_catalog.unnest(:names::text[]) name")
                .with("names", settings.keySet().toArray(String[]::new))
                .query(connection, row -> before.put(row.getString(1), row.getString(2)));
        set(settings);
    }

    private void set(Map<String, String> settings) throws SQLException {
        Sql.text(
                        "select set_config(name, value, false) from unnest(:names::text[], :values::text[]) given (name, value)")
                .with("names", settings.keySet().toArray(String[]::new))
                .with("values", settings.values().toArray(String[]::new))
                .query(connection, row -> row.getString(1));
    }

    @Override
    public void close() throws SQLException {
        if (!connection.isClosed()) {
            set(before);
        }
    }
}
