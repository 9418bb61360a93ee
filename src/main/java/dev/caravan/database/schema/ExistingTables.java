package dev.caravan.database.schema;

import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

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
        return Statement.query(
                        connection,
                        "database/existing_tables",
                        row -> new ExistingTables(
                                row.getString("schema"),
                                row.getBoolean("outbox"),
                                row.getBoolean("outbox") && !row.getBoolean("subscription"),
                                row.getBoolean("migrated"),
                                row.getString("stranger")))
                .get(0);
    }

    /** Why an outbox of another program cannot be used, and what to do. */
    String refusal() {
        return "Schema " + schema
                + " has a table outbox of another program: Caravan's table outbox_subscription does not exist there."
                + " Caravan needs its own table with this name. Set caravan.schema (DB_SCHEMA) to another schema,"
                + " for example caravan, and run: ./caravan schema apply. The rows of the other table can be written into Caravan's"
                + " outbox by a capture (docs/capture.md).";
    }

    /** The tables and columns that are missing or wrong, as {@link SchemaCheck} reports them. */
    static List<String> incomplete(Connection connection) throws SQLException {
        return Statement.query(connection, "database/check_tables", ExistingTables::missing);
    }

    static String missing(ResultSet row) throws SQLException {
        String table = row.getString("table_name");
        String column = row.getString("column_name");
        if (column == null) {
            String elsewhere = row.getString("found_in");
            return "Table " + table + " does not exist in schema " + row.getString("schema")
                    + (elsewhere == null
                            ? ""
                            : " (one is in schema " + elsewhere
                                    + ": if it is Caravan's, name that schema in caravan.schema, DB_SCHEMA)");
        }
        String actual = row.getString("actual_type");
        return "Column " + table + "." + column
                + (actual == null
                        ? " does not exist"
                        : " is " + actual + ", must be " + row.getString("expected_type"));
    }
}
