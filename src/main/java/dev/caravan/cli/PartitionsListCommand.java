package dev.caravan.cli;

import dev.caravan.database.Database;
import dev.caravan.json.Fields;
import dev.caravan.partition.Partition;
import dev.caravan.settings.Settings;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan partitions list}: what the outbox consists of, and what of it can go. */
@Command(
        name = "list",
        sortOptions = false,
        description = {
            "List the partitions of the outbox in order of id: sizes, ages, and whether they can be pruned.",
            "Rows are an estimate from statistics. outbox_default takes what no other partition takes."
        })
final class PartitionsListCommand implements Callable<Integer> {
    @Mixin
    private RetentionOption olderThan;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        Settings settings = options.settings();
        List<Partition> all = Partition.all(Database.forCommand(settings), olderThan.in(settings));
        output.print(
                () -> PartitionText.table(all),
                () -> all.stream().map(Fields::of).toList());
        return 0;
    }
}
