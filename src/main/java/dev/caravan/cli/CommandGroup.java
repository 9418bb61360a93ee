package dev.caravan.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups subcommands. Without a subcommand it ends with a usage error. */
abstract class CommandGroup implements Runnable {
    private final String missing;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    /** @param missing the error when no subcommand is given */
    CommandGroup(String missing) {
        this.missing = missing;
    }

    @Override
    public final void run() {
        throw new ParameterException(spec.commandLine(), missing);
    }

    /** The specification of this command, with its output streams. */
    final CommandSpec spec() {
        return spec;
    }
}
