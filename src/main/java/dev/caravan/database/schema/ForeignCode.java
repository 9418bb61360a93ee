package dev.caravan.database.schema;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Operators and functions of roles that this role has no reason to trust, in the schemas of a session. Statements whose types Caravan does not
 * choose would find them before those of Postgres: those of the migration library, those on the columns of a captured table, and conditions of people.
 */
public final class ForeignCode {
    private ForeignCode() {}

    /** Why such statements must not run in this session; empty if they may. */
    public static Optional<String> refusal(Connection connection) throws SQLException {
        return Sql.file("database/foreign_code")
                .query(
                        connection,
                        row -> "Schema " + row.getString("schema") + " has operators or functions of role "
                                + row.getString("owner") + " that a statement could find instead of those of Postgres ("
                                + row.getString("names") + "), and they would run with the rights of role "
                                + row.getString("role")
                                + ". Run the command as " + row.getString("owner")
                                + " if it owns the outbox. Otherwise drop them, or make a role that you trust their owner, and let"
                                + " no other role create in the schema: revoke create on schema "
                                + row.getString("schema")
                                + " from " + row.getString("owner") + ", public")
                .stream()
                .findFirst();
    }
}
