package dev.caravan.adopt.capture;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Whose code runs when a role evaluates expressions on the rows of a table. The owner of the table, or of a type of its columns, may write casts
 * and domains, and a cast runs with the rights of the role that evaluates it. When a role marks rows, triggers of the table do too.
 *
 * @param role that evaluates them
 * @param untrusted the owners that the role has no reason to trust: they could not act as this role otherwise
 * @param foreignColumns columns whose type is not one of Postgres
 * @param ofExtensions columns of types with operators of their own, which Postgres looks up in the search_path
 * @param foreignCode functions and operators of such owners that Postgres may evaluate while it plans a read
 * @param codeOwners the owners of these functions and operators
 * @param changedByOthers whether such an owner may change the table or a part of it, for example with an index
 */
public record Trust(
        String role,
        List<String> untrusted,
        List<String> foreignColumns,
        List<String> ofExtensions,
        List<String> foreignCode,
        List<String> codeOwners,
        boolean changedByOthers) {
    /**
     * @param role that reads rows
     * @param mark the privilege with which it marks rows; null for none
     */
    public static Trust of(Connection connection, long table, String role, String mark) throws SQLException {
        return Sql.file("adopt/trust")
                .with("mark", mark)
                .with("oid", table)
                .with("role", role)
                .query(connection, Trust.class)
                .get(0);
    }

    /** Whether nobody gains the rights of the role by types or triggers, also after a later change of the table. */
    boolean isComplete() {
        return untrusted.isEmpty();
    }

    /** Why the role must not read the rows, now or after a change of a type; empty if it may. */
    String refusal(String table) {
        return isComplete() || foreignColumns.isEmpty()
                ? refusalOfCode(table)
                : refusal(
                        "columns of " + table + " have types that are not of Postgres ("
                                + String.join(", ", foreignColumns) + "), and their casts, which "
                                + String.join(", ", untrusted) + " can write,",
                        untrusted);
    }

    /** Why the role must not read the rows now; empty if it may. */
    public String refusalOfCode(String table) {
        return codeOwners.isEmpty()
                ? ""
                : refusal(
                        "indexes, constraints, policies or types of " + table + " use what "
                                + String.join(", ", codeOwners) + " can write, and it ("
                                + String.join(", ", foreignCode) + ")",
                        codeOwners);
    }

    private String refusal(String reason, List<String> owners) {
        return reason + " would run with the rights of role " + role + ". Run the command as " + owners.get(0)
                + ", or as a role of which it is a member";
    }

    /**
     * The grants that the writers of a table lack if its capture runs with their rights, as statements.
     *
     * @param mark the privilege with which a take-over marks a row; null for none
     */
    static List<String> missingGrants(Connection connection, CapturedTable table, String mark) throws SQLException {
        return Sql.file("adopt/writers")
                .with("mark", mark)
                .with("oid", table.oid())
                .with("schema", table.schema())
                .with("table", table.name())
                .query(connection, row -> row.getString("statement"));
    }
}
