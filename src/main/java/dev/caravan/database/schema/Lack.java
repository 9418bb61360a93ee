package dev.caravan.database.schema;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A table or column that this version needs and that is missing, or a column of another type.
 *
 * @param absent whether the table is in no schema
 */
record Lack(String tableName, String schema, boolean absent, String text) {
    static List<Lack> all(Connection connection) throws SQLException {
        return Sql.file("database/check_tables").query(connection, Lack.class);
    }

    static List<String> texts(Connection connection) throws SQLException {
        return all(connection).stream().map(Lack::text).toList();
    }
}
