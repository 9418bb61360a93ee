package dev.caravan.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code caravan retries}: messages that wait for another attempt, or behind one that does. */
@Command(
        name = "retries",
        description = "Find, show, retry now or give up messages that wait for another attempt.",
        subcommands = {
            RetriesListCommand.class,
            RetriesShowCommand.class,
            RetriesRetryCommand.class,
            RetriesGiveUpCommand.class
        })
final class RetriesCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do with messages that wait: list, show, retry or give-up.");
    }
}
