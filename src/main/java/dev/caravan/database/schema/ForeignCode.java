package dev.caravan.database.schema;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Operators and functions of roles that this role has no reason to trust, in the schemas of a session. Statements whose types Caravan does not
 * choose would find them before those of Postgres: those of the migration library, those on the columns of a captured table, and conditions of
 * people. Postgres has no lock against new ones: a look is safe only if nobody can create one before the statement.
 */
public final class ForeignCode {
    /** The value of {@code search_path} with which a statement finds only what belongs to Postgres. No function is looked up among temporary objects. */
    public static final String ONLY_POSTGRES = "pg_catalog, pg_temp";

    private ForeignCode() {}

    /** Why such statements must find only what belongs to Postgres; empty if they may also find what is in the schemas of this session. */
    public static Optional<String> possible(Connection connection) throws SQLException {
        Optional<String> present = refusal(connection);
        return present.isPresent()
                ? present
                : Sql.file("database/foreign_creators")
                        .query(
                                connection,
                                row -> row.getString("creators") + " may create in schema " + row.getString("schema")
                                        + ", and a statement could find an operator or function from there instead of that of"
                                        + " Postgres, which would run with the rights of role "
                                        + row.getString("role")
                                        + ". Let no other role create in the schema: revoke create on"
                                        + " schema " + row.getString("schema") + " from " + row.getString("creators"))
                        .stream()
                        .findFirst();
    }

    /** Why such statements must not run in this session; empty if there is no such code now. */
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
