package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan partitions}: the parts of the outbox, and the end of old ones. */
@Command(
        name = "partitions",
        description = "List the partitions of the outbox, or prune old ones.",
        subcommands = {PartitionsListCommand.class, PartitionsPruneCommand.class})
final class PartitionsCommand extends CommandGroup {
    PartitionsCommand() {
        super("Say what to do with partitions: list or prune.");
    }
}
