package dev.caravan.capture;

import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A capture in the database.
 *
 * @param tables the tables with its triggers
 * @param definer whether its function runs with the rights of its owner; otherwise with those of the writer
 * @param safe whether its function has a fixed search_path
 * @param inserts whether the owner of its function may insert into the outbox
 */
public record InstalledCapture(
        String name,
        String tables,
        String body,
        boolean definer,
        boolean safe,
        boolean inserts,
        List<InstalledTrigger> triggers) {
    /**
     * @param enabled as in pg_trigger: O, A, R or D
     * @param copy whether it is a copy, on a partition, of a trigger of the partitioned table
     * @param sum its second argument; see {@link CaptureSql.Trigger}
     */
    record InstalledTrigger(String name, String table, String enabled, boolean copy, String sum) {
        String drop() {
            return "drop trigger " + name + " on " + table;
        }
    }

    /** @param name null for all */
    static List<InstalledCapture> find(Connection connection, String name) throws SQLException {
        List<InstalledCapture> functions = Statement.query(
                connection,
                "capture/installed_functions",
                row -> new InstalledCapture(
                        row.getString("name"),
                        row.getString("tables") == null ? "" : row.getString("tables"),
                        row.getString("body"),
                        row.getBoolean("definer"),
                        row.getBoolean("safe"),
                        row.getBoolean("inserts"),
                        List.of()),
                name,
                name);
        List<InstalledCapture> captures = new ArrayList<>();
        for (InstalledCapture function : functions) {
            captures.add(function.with(triggers(connection, function.name())));
        }
        return captures;
    }

    private static List<InstalledTrigger> triggers(Connection connection, String name) throws SQLException {
        return Statement.query(
                connection,
                "capture/installed_triggers",
                row -> new InstalledTrigger(
                        row.getString("name"),
                        row.getString("table_name"),
                        row.getString("enabled"),
                        row.getBoolean("copy"),
                        row.getString("sum")),
                name);
    }

    private InstalledCapture with(List<InstalledTrigger> triggers) {
        return new InstalledCapture(name, tables, body, definer, safe, inserts, triggers);
    }

    /** Whether all its triggers fire for writes of applications. */
    public boolean enabled() {
        return !triggers.isEmpty()
                && triggers.stream().allMatch(trigger -> Set.of("O", "A").contains(trigger.enabled()));
    }

    /** Whether it hides captured rows from a poller. */
    public boolean marks() {
        return triggers.stream().anyMatch(trigger -> trigger.name().endsWith(Capture.functionOf(name) + "_mark"));
    }

    /** Its triggers without the copies on partitions. */
    List<InstalledTrigger> own() {
        return triggers.stream().filter(trigger -> !trigger.copy()).toList();
    }

    /** How it differs from the file; empty if it does not. */
    List<String> differences(CaptureSql wanted, CapturedTable table) {
        List<String> differences = new ArrayList<>();
        if (definer && !table.capturedByOwner()) {
            differences.add("its function runs with the rights of its owner, "
                    + table.functionOwner() + ", and "
                    + String.join(", ", table.trust().untrusted())
                    + " could run statements with them by casts of the types of the columns");
        } else if (!body.equals(wanted.body()) || !safe || definer != table.capturedByOwner()) {
            differences.add("its function differs from the file");
        }
        if (definer && !inserts) {
            differences.add("the owner of its function may not insert into the outbox: each captured write fails");
        }
        Set<String> names = new HashSet<>();
        for (CaptureSql.Trigger trigger : wanted.triggers()) {
            names.add(trigger.name());
            own().stream()
                    .filter(installed -> installed.name().equals(trigger.name())
                            && installed.table().equals(table.name()))
                    .findFirst()
                    .ifPresentOrElse(
                            installed -> {
                                if (!trigger.sum().equals(installed.sum())) {
                                    differences.add("trigger " + trigger.name() + " differs from the file");
                                }
                            },
                            () -> differences.add("trigger " + trigger.name() + " is missing on " + table.name()));
        }
        for (InstalledTrigger installed : triggers) {
            if (!names.contains(installed.name()) && !installed.copy()
                    || !installed.copy() && !installed.table().equals(table.name())) {
                differences.add("trigger " + installed.name() + " on " + installed.table() + " is not in the file");
            } else if (!installed.enabled().equals(wanted.firing())) {
                differences.add("trigger " + installed.name() + " on " + installed.table()
                        + (Set.of("O", "A").contains(installed.enabled())
                                ? " differs in always"
                                : " is disabled: changes are not captured"));
            }
        }
        return differences;
    }
}
