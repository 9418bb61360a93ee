package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.partition.PartitionReader;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan partitions list}: the partitions of the outbox, and whether each can be pruned. */
@Command(
        name = "list",
        sortOptions = false,
        description = {
            "List the partitions of the outbox in order of id, with size, age, and whether they can be pruned.",
            "ROWS is an estimate from statistics. outbox_default holds the rows that belong to no other partition."
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
        List<Partition> all = new PartitionReader().all(Database.forCommand(settings), olderThan.in(settings));
        output.print(
                () -> PartitionText.table(all),
                () -> all.stream().map(Fields::of).toList());
        return 0;
    }
}
