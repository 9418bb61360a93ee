package dev.caravan.cli;

import picocli.CommandLine.Command;

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
final class RetriesCommand extends CommandGroup {
    RetriesCommand() {
        super("Say what to do with messages that wait: list, show, retry or give-up.");
    }
}
