package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan partitions}: commands on the partitions of the outbox. */
@Command(
        name = "partitions",
        description = "List the partitions of the outbox, or prune old ones.",
        subcommands = {PartitionsListCommand.class, PartitionsPruneCommand.class})
final class PartitionsCommand extends CommandGroup {
    PartitionsCommand() {
        super("Missing subcommand: list or prune.");
    }
}
