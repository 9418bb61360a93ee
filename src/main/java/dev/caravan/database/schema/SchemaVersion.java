package dev.caravan.database.schema;

import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;

/**
 * The version of the tables in the schema of a session.
 *
 * @param number empty if this role may not read the history of migrations, or there is none
 * @param differences what this version of Caravan needs and the tables lack; empty if it works with them
 */
public record SchemaVersion(OptionalInt number, List<String> differences) {
    /** Reads the catalog and the history of migrations. */
    public static SchemaVersion of(Connection connection) throws SQLException {
        return new SchemaVersion(number(connection), ExistingTables.incomplete(connection));
    }

    static OptionalInt number(Connection connection) throws SQLException {
        return single(connection, "database/may_read_history", Boolean.class)
                ? OptionalInt.of(single(connection, "database/latest_version", Integer.class))
                : OptionalInt.empty();
    }

    private static <T> T single(Connection connection, String file, Class<T> type) throws SQLException {
        return Statement.query(connection, file, row -> row.getObject(1, type)).get(0);
    }
}
