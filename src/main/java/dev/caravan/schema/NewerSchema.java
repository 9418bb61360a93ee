package dev.caravan.schema;

import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Tables that a newer version of Caravan has upgraded: during an upgrade, and after a back-out. This version works with them, because
 * a migration only adds; {@link SchemaCheck} finds what is missing if one did more.
 */
public final class NewerSchema {
    private NewerSchema() {}

    /** What to tell a person; empty if the tables are not newer, or this role may not read the history of migrations. */
    public static Optional<String> note(DataSource database) throws SQLException {
        try (var connection = database.getConnection()) {
            if (!single(connection, "schema/may_read_history", Boolean.class)) {
                return Optional.empty();
            }
            int version = single(connection, "schema/latest_version", Integer.class);
            return version <= Schema.VERSION
                    ? Optional.empty()
                    : Optional.of("the tables have schema version " + version + ", and this version of Caravan knows "
                            + Schema.VERSION + "; it works with them, because a newer version only adds");
        }
    }

    private static <T> T single(Connection connection, String file, Class<T> type) throws SQLException {
        return Statement.query(connection, file, row -> row.getObject(1, type)).get(0);
    }
}
