package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan retries}: commands on waiting messages. */
@Command(
        name = "retries",
        description = "List, show, retry or give up messages that wait for another attempt.",
        subcommands = {
            RetriesListCommand.class,
            RetriesShowCommand.class,
            RetriesRetryCommand.class,
            RetriesGiveUpCommand.class
        })
final class RetriesCommand extends CommandGroup {
    RetriesCommand() {
        super("Missing subcommand: list, show, retry or give-up.");
    }
}
