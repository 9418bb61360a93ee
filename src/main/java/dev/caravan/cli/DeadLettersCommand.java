package dev.caravan.cli;

import picocli.CommandLine.Command;

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
final class DeadLettersCommand extends CommandGroup {
    DeadLettersCommand() {
        super("Say what to do with dead letters: list, show, retry, discard or export.");
    }
}
