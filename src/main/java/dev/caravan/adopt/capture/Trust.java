package dev.caravan.adopt.capture;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Whose code runs when a role evaluates expressions on the rows of a table. The owner of the table, or of a type of its columns, may write casts
 * and domains, and a cast runs with the rights of the role that evaluates it.
 *
 * @param role that evaluates them
 * @param untrusted the owners that the role has no reason to trust: they could not act as this role otherwise
 * @param foreignColumns columns whose type is not one of Postgres
 * @param foreignCode functions and operators of such owners that Postgres may evaluate while it plans a read
 * @param codeOwners the owners of these functions and operators
 * @param changedByOthers whether such an owner may change the table or a part of it, for example with an index
 */
record Trust(
        String role,
        List<String> untrusted,
        List<String> foreignColumns,
        List<String> foreignCode,
        List<String> codeOwners,
        boolean changedByOthers) {
    static Trust of(Connection connection, long table, String role) throws SQLException {
        return Sql.file("adopt/trust")
                .with("oid", table)
                .with("role", role)
                .query(connection, Trust.class)
                .get(0);
    }

    /** Whether nobody gains the rights of the role by the types of the columns, also after a later change of the table. */
    boolean isComplete() {
        return untrusted.isEmpty();
    }

    /** Why the role must not read the rows now; empty if it may. */
    String refusal(String table) {
        boolean byColumns = !isComplete() && !foreignColumns.isEmpty();
        List<String> owners = byColumns ? untrusted : codeOwners;
        if (owners.isEmpty()) {
            return "";
        }
        String reason = byColumns
                ? "columns of " + table + " have types that are not of Postgres (" + String.join(", ", foreignColumns)
                        + "), and their casts, which " + String.join(", ", owners) + " can write,"
                : "indexes or constraints of " + table + " use what " + String.join(", ", owners)
                        + " can write, and it (" + String.join(", ", foreignCode) + ")";
        return reason + " would run with the rights of role " + role + ". Run the command as " + owners.get(0)
                + ", or as a role of which it is a member";
    }

    /**
     * The grants that the writers of a table lack if its capture runs with their rights, as statements.
     *
     * @param mark the privilege with which a take-over marks a row; null for none
     */
    static List<String> missingGrants(Connection connection, CapturedTable table, String mark) throws SQLException {
        List<List<String>> grants = Sql.file("adopt/writers")
                .with("mark", mark)
                .with("oid", table.oid())
                .query(connection, row -> {
                    String role = row.getString("role");
                    List<String> missing = new ArrayList<>();
                    if (row.getBoolean("lacks_schema")) {
                        missing.add("grant usage on schema " + table.schema() + " to " + role);
                    }
                    if (row.getBoolean("lacks_outbox")) {
                        missing.add("grant insert on " + table.schema() + ".outbox to " + role);
                    }
                    if (row.getBoolean("lacks_mark")) {
                        missing.add("grant " + mark + " on " + table.name() + " to " + role);
                    }
                    return missing;
                });
        return grants.stream().flatMap(List::stream).collect(Collectors.toList());
    }
}
