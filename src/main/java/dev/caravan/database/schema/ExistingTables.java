package dev.caravan.database.schema;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The tables in the schema of a session that have the names of Caravan's tables. An outbox without {@code outbox_subscription} belongs to
 * another program: Debezium and several libraries use the same name.
 *
 * @param schema the schema of the session
 * @param outbox whether an outbox exists, created by any tool
 * @param foreign whether it is the outbox of another program
 * @param migrated whether {@link Schema#apply()} has created tables here
 * @param stranger the owner of the history of migrations, if this role has no reason to trust it; null otherwise
 */
record ExistingTables(String schema, boolean outbox, boolean foreign, boolean migrated, String stranger) {
    static ExistingTables of(Connection connection) throws SQLException {
        return Sql.file("database/existing_tables")
                .query(connection, ExistingTables.class)
                .get(0);
    }

    /** Why an outbox of another program cannot be used, and what to do. */
    String refusal() {
        return "Schema " + schema
                + " has a table outbox of another program: Caravan's table outbox_subscription does not exist there."
                + " Caravan needs its own table with this name. Set caravan.schema (CARAVAN_SCHEMA) to another schema,"
                + " for example caravan, and run: ./caravan schema apply. The rows of the other table can be written into Caravan's"
                + " outbox by a capture (docs/capture.md).";
    }
}
