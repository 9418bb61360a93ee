package dev.caravan.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing by itself: one of its subcommands has to be named. */
abstract class CommandGroup implements Runnable {
    private final String missing;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    /** @param missing what to say when no subcommand is named */
    CommandGroup(String missing) {
        this.missing = missing;
    }

    @Override
    public final void run() {
        throw new ParameterException(spec.commandLine(), missing);
    }

    /** What is known of this command where it was called. */
    final CommandSpec spec() {
        return spec;
    }
}
