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
        Statement.queryText(
                connection,
                "select name, current_setting(name) from pg_catalog.unnest(?::text[]) name",
                row -> before.put(row.getString(1), row.getString(2)),
                (Object) settings.keySet().toArray(new String[0]));
        set(settings);
    }

    private void set(Map<String, String> settings) throws SQLException {
        Statement.queryText(
                connection,
                "select set_config(name, value, false) from unnest(?::text[], ?::text[]) given (name, value)",
                row -> row.getString(1),
                settings.keySet().toArray(new String[0]),
                settings.values().toArray(new String[0]));
    }

    @Override
    public void close() throws SQLException {
        if (!connection.isClosed()) {
            set(before);
        }
    }
}
