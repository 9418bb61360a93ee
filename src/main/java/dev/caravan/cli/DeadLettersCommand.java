package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan dead-letters}: commands on dead letters. */
@Command(
        name = "dead-letters",
        description = "List, show, retry, discard or export dead letters: messages that could not be delivered.",
        subcommands = {
            DeadLettersListCommand.class,
            DeadLettersShowCommand.class,
            DeadLettersRetryCommand.class,
            DeadLettersDiscardCommand.class,
            DeadLettersExportCommand.class
        })
final class DeadLettersCommand extends CommandGroup {
    DeadLettersCommand() {
        super("Missing subcommand: list, show, retry, discard or export.");
    }
}
