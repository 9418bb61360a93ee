package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.CapturedEvent.Payload;
import dev.caravan.adopt.file.FileProblem;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Compares a capture file with its table. Finds what would be missing in messages, or would make writes of the application fail. */
final class CaptureCheck {
    private final Capture capture;
    private final CapturedTable table;
    private final List<FileProblem> problems = new ArrayList<>();

    private CaptureCheck(Capture capture, CapturedTable table) {
        this.capture = capture;
        this.table = table;
    }

    static List<FileProblem> problems(Capture capture, CapturedTable table) {
        var check = new CaptureCheck(capture, table);
        check.kind();
        check.problems.addAll(table.unknown(capture.columns().distinct(), capture));
        check.key();
        check.virtualColumns();
        return check.problems;
    }

    /** The privileges that the role lacks to install the capture. */
    static List<FileProblem> missingRights(Capture capture, CapturedTable table) {
        List<String> missing = new ArrayList<>();
        if (!table.mayTrigger()) {
            missing.add("role " + table.role() + " has no right TRIGGER on " + table.name()
                    + ". Run as its owner: grant trigger on " + table.name() + " to " + table.role());
        }
        if (!table.mayCreate()) {
            missing.add("role " + table.role() + " may not create a function in schema " + table.schema()
                    + ". Run the command as the owner of the outbox, " + table.owner());
        } else if (table.capturedByOwner() && !table.ownerInserts()) {
            missing.add("role " + table.role()
                    + " may not insert into the outbox, and the function would run with its rights."
                    + " Run the command as the owner of the outbox, " + table.owner());
        }
        return missing.stream()
                .map(text -> capture.problem(capture.table().line(), text))
                .toList();
    }

    /** The rights that the writers of the table lack if the function runs with them: their writes would fail. */
    static List<FileProblem> missingRightsOfWriters(Connection connection, Capture capture, CapturedTable table)
            throws SQLException {
        if (table.capturedByOwner()) {
            return List.of();
        }
        List<String> grants = Trust.missingGrants(connection, table, capture.mark());
        return grants.isEmpty()
                ? List.of()
                : List.of(capture.problem(
                        capture.table().line(),
                        "its function runs with the rights of the role that writes, because "
                                + String.join(", ", table.trust().untrusted()) + ", who can change " + table.name()
                                + ", its types or its triggers, or functions that these or its constraints call, must not gain those of "
                                + table.functionOwner()
                                + ". Each captured write of a role without these rights would fail. Run: "
                                + String.join("; ", grants)));
    }

    /** The problems that make a backfill impossible. */
    static List<FileProblem> problemsOfBackfill(Capture capture, CapturedTable table, Trust trustOfRole) {
        var check = new CaptureCheck(capture, table);
        int line = capture.table().line();
        if (table.rowKey().isEmpty()) {
            check.problem(
                    line,
                    table.name() + " has no primary key, and no unique index on columns that are not null. A backfill"
                            + " needs one to read the rows in parts");
        }
        if (!table.mayLock()) {
            check.problem(
                    line,
                    "role " + table.role() + " may not read and lock the rows of " + table.name()
                            + ". Run as its owner: grant select, update on " + table.name() + " to " + table.role());
        }
        if (table.filtered()) {
            check.problem(
                    line,
                    "row-level security hides rows of " + table.name() + " from role " + table.role()
                            + ". Use a role with BYPASSRLS, or the owner of the table");
        }
        String refusal = trustOfRole.refusal(table.name());
        if (!refusal.isEmpty()) {
            check.problem(line, refusal);
        }
        if (capture.takeOver().isPresent()) {
            check.problem(
                    line, "a table with a section take-over is not backfilled: the take-over sends the pending rows");
        }
        return check.problems;
    }

    private void kind() {
        int line = capture.table().line();
        if (table.outbox()) {
            problem(line, table.name() + " is the outbox itself: each message would write another one");
        }
        if (!table.usable()) {
            problem(
                    line,
                    table.name()
                            + " is not a table whose changes a trigger sees (a view, a foreign or a temporary table)");
        }
        if (table.children() != null) {
            problem(
                    line,
                    table.name() + " has child tables by inheritance (" + table.children()
                            + "), and its triggers do not fire for their rows. Write a file for each child, and one for a parent without"
                            + " children");
        }
        if (capture.perStatement() && (table.partitioned() || table.partition())) {
            problem(
                    line,
                    "per: statement does not see what is written directly into a partition, or through the parent of one."
                            + " Use per: row");
        }
        if (table.partition()) {
            problem(line, table.name() + " is a partition. Capture its parent: its triggers are on all partitions");
        }
    }

    private void key() {
        if (table.key(capture).isEmpty()) {
            problem(
                    capture.table().line(),
                    table.name()
                            + " has no primary key. Name the columns that identify what a row is about: aggregate-id");
        }
        capture.key().stream()
                .filter(column -> table.columns().containsKey(column.text()))
                .filter(column -> !table.columns().get(column.text()).notNull())
                .forEach(column -> problem(
                        column.line(),
                        "column " + column.text()
                                + " can be null, and a message must have an aggregate id: each write of such a row would fail. Make it not"
                                + " null, or name other columns"));
    }

    private void virtualColumns() {
        capture.columns()
                .distinct()
                .map(named -> table.columns().get(named.text()))
                .filter(Objects::nonNull)
                .filter(CapturedTable.Column::virtual)
                .distinct()
                .forEach(column -> problem(capture.table().line(), virtual(column.name())));
        boolean wholeRow = capture.events().stream()
                .anyMatch(event -> event.payload() == Payload.ROW || event.payload() == Payload.OLD_AND_NEW);
        if (wholeRow) {
            table.columns().values().stream()
                    .filter(CapturedTable.Column::virtual)
                    .forEach(column -> problem(
                            capture.table().line(), virtual(column.name()) + ", or name the columns of the payload"));
        }
    }

    private static String virtual(String column) {
        return "column " + column
                + " is a virtual generated column: a trigger sees null instead of its value. Make it stored";
    }

    private void problem(int line, String text) {
        problems.add(capture.problem(line, text));
    }
}
