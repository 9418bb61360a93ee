package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A capture in the database.
 *
 * @param tables the tables with its triggers
 * @param definer whether its function runs with the rights of its owner; otherwise with those of the writer
 * @param safe whether its function has a fixed search_path, and reads its texts in the same way in all sessions
 * @param inserts whether the owner of its function may insert into the outbox
 * @param callers other roles that may attach its function to a table of their own; null for none
 * @param stranger the owner of its function, if it is neither this role nor a member of the owner of the outbox; null otherwise
 * @param replaced a table without its triggers that has the name of the table for which it was installed; null for none
 */
public record InstalledCapture(
        String name,
        String tables,
        String body,
        boolean definer,
        boolean safe,
        boolean inserts,
        String callers,
        String stranger,
        String replaced,
        List<InstalledTrigger> triggers) {
    /** An event in the function: the first argument of its triggers. */
    private static final Pattern EVENT = Pattern.compile("(?m)^    when '([a-z0-9]+)' then$");

    /**
     * @param enabled as in pg_trigger: O, A, R or D
     * @param copy whether it is a copy, on a partition, of a trigger of the partitioned table
     * @param event its first argument
     * @param sum its second argument; see {@link CaptureSql.Trigger}
     * @param ofRows whether one call handles all rows of a statement
     * @param partition whether its table is a partition
     * @param children whether tables inherit from its table
     */
    record InstalledTrigger(
            String name,
            String table,
            String enabled,
            boolean copy,
            String event,
            String sum,
            boolean ofRows,
            boolean partition,
            boolean children) {
        String drop() {
            return "drop trigger " + SqlText.identifier(name) + " on " + table;
        }

        private boolean fires() {
            return enabled.equals("O") || enabled.equals("A");
        }

        /** The writers of the table that it does not see. */
        private Stream<String> unseen() {
            List<String> unseen = new ArrayList<>();
            if (!fires()) {
                unseen.add("trigger " + name + " on " + table + " is disabled. Its changes are not captured");
            }
            if (ofRows && enabled.equals("A")) {
                unseen.add("rows that logical replication applies are not captured: it calls no trigger for each"
                        + " statement. Write per: row into the file");
            }
            if (ofRows && partition) {
                unseen.add(table + " is a partition now. Rows written through its parent are not captured."
                        + " Write the parent into the file");
            }
            if (children) {
                unseen.add(table + " has child tables by inheritance now. Their rows are not captured."
                        + " Write a file for each child");
            }
            return unseen.stream();
        }
    }

    /** The problem that another role owns the function of a capture; empty if there is none. */
    static List<FileProblem> ofStranger(Connection connection, Capture capture, CapturedTable table)
            throws SQLException {
        return find(connection, capture.name()).stream()
                .filter(installed -> installed.stranger != null)
                .map(installed -> capture.problem(
                        capture.table().line(),
                        "function " + table.schema() + "." + capture.function() + "() belongs to " + installed.stranger
                                + ", who can replace it, and it runs with the rights of each role that writes to "
                                + table.name() + ". Drop it and run ./caravan capture apply: drop function "
                                + table.schema() + "." + capture.function() + "() cascade"))
                .toList();
    }

    static Optional<InstalledCapture> find(Connection connection, String name) throws SQLException {
        return named(connection, name).stream().findFirst();
    }

    static List<InstalledCapture> all(Connection connection) throws SQLException {
        return named(connection, null);
    }

    private static List<InstalledCapture> named(Connection connection, String name) throws SQLException {
        return Sql.file("adopt/installed_functions")
                .with("name", name)
                .query(
                        connection,
                        row -> new InstalledCapture(
                                row.getString("name"),
                                row.getString("tables"),
                                row.getString("body"),
                                row.getBoolean("definer"),
                                row.getBoolean("safe"),
                                row.getBoolean("inserts"),
                                row.getString("callers"),
                                row.getString("stranger"),
                                row.getString("replaced"),
                                Sql.file("adopt/installed_triggers")
                                        .with("capture", row.getString("name"))
                                        .query(connection, InstalledTrigger.class)));
    }

    /**
     * The changes that it does not capture, as far as the database alone shows: its triggers are disabled, dropped with a column or on
     * another table, or do not see all writers. Empty if there are none.
     */
    public List<String> faults() {
        if (triggers.isEmpty()) {
            return List.of("it has no triggers. Its changes are not captured");
        }
        List<String> faults = new ArrayList<>();
        if (replaced != null) {
            faults.add("its triggers are on " + tables + ". Changes of " + replaced + " are not captured");
        }
        EVENT.matcher(body)
                .results()
                .map(event -> event.group(1))
                .filter(event ->
                        own().stream().noneMatch(trigger -> trigger.event().equals(event)))
                .forEach(event ->
                        faults.add("no trigger is left for event " + event + ". Its changes are not captured"));
        triggers.stream().flatMap(InstalledTrigger::unseen).distinct().forEach(faults::add);
        return faults;
    }

    /** Whether its triggers fire for all writes of applications. */
    public boolean enabled() {
        return faults().isEmpty();
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
            differences.add(
                    "its function runs with the rights of its owner, "
                            + table.functionOwner() + ", and "
                            + String.join(", ", table.trust().untrusted())
                            + " could run statements with them by casts of the types of the columns, or by triggers, constraints and other code of the table");
        } else if (!body.equals(wanted.body()) || !safe || definer != table.capturedByOwner()) {
            differences.add("its function differs from the file");
        }
        if (definer && !inserts) {
            differences.add("the owner of its function may not insert into the outbox: each captured write fails");
        }
        if (definer && callers != null) {
            differences.add("its function runs with the rights of its owner, and " + callers
                    + " may attach it to a table of their own, whose types then run with them");
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
                        + (installed.fires() ? " differs in always" : " is disabled: changes are not captured"));
            }
        }
        return differences;
    }
}
