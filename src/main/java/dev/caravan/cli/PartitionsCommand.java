package dev.caravan.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code caravan partitions}: the parts of the outbox, and the end of old ones. */
@Command(
        name = "partitions",
        description = "List the partitions of the outbox, or prune old ones.",
        subcommands = {PartitionsListCommand.class, PartitionsPruneCommand.class})
final class PartitionsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do with partitions: list or prune.");
    }
}
