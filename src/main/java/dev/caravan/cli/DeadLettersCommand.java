package dev.caravan.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code caravan dead-letters}: messages that are not tried again unless a person retries them. */
@Command(
        name = "dead-letters",
        description = "Find, show, retry, discard or export messages that could not be delivered.",
        subcommands = {
            DeadLettersListCommand.class,
            DeadLettersShowCommand.class,
            DeadLettersRetryCommand.class,
            DeadLettersDiscardCommand.class,
            DeadLettersExportCommand.class
        })
final class DeadLettersCommand implements Runnable {
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
                spec.commandLine(), "Say what to do with dead letters: list, show, retry, discard or export.");
    }
}
