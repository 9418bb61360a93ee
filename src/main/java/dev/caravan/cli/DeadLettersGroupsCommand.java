package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.DeadLetterGroups;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.failed.GroupMarks;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan dead-letters groups}: the dead letters by subscription and error. */
@Command(
        name = "groups",
        sortOptions = false,
        description = {
            "Count dead letters by subscription and error, the largest group first.",
            "Errors are one group if they differ only in numbers, ids, quoted values and addresses, shown as #."
        })
final class DeadLettersGroupsCommand implements Callable<Integer> {
    @Mixin
    private DeadLetterFilterOptions filter;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        DataSource database = options.database();
        DeadLetterGroups groups = DeadLetterGroups.of(database, filter.filter());
        String nothing = groups.largest().isEmpty() ? filter.nothingFound(database) : "";
        output.print(
                () -> groups.largest().isEmpty() ? nothing : text(groups),
                () -> groups.largest().stream().map(Fields::of).toList());
        return 0;
    }

    private static String text(DeadLetterGroups groups) {
        Table table = new Table("GROUP", "SUBSCRIPTION", "MESSAGES>", "LAST", "KNOWN", "ERROR", "NOTE");
        for (DeadLetterGroups.Group group : groups.largest()) {
            table.row(
                    group.group(),
                    group.subscription(),
                    group.count(),
                    Formatted.ago(group.lastSeen()),
                    group.mark().filter(GroupMarks.Mark::known).isPresent() ? "known" : "-",
                    MessageText.error(group.errorClass(), group.pattern()),
                    group.mark()
                            .flatMap(GroupMarks.Mark::note)
                            .map(note -> Formatted.line(note, 60))
                            .orElse("-"));
        }
        return table + (groups.complete() ? "" : "\nNot all dead letters were counted: use filters to see the others.");
    }
}
