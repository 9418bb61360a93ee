package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan dead-letters}: commands on dead letters. */
@Command(
        name = "dead-letters",
        description =
                "List, group, show, retry, discard, mark or export dead letters (messages that could not be delivered), and undo a discard.",
        subcommands = {
            DeadLettersListCommand.class,
            DeadLettersGroupsCommand.class,
            DeadLettersShowCommand.class,
            DeadLettersRetryCommand.class,
            DeadLettersDiscardCommand.class,
            DeadLettersUndoDiscardCommand.class,
            DeadLettersDiscardedCommand.class,
            DeadLettersMarkCommand.class,
            DeadLettersExportCommand.class
        })
final class DeadLettersCommand extends CommandGroup {
    DeadLettersCommand() {
        super("Missing subcommand: list, groups, show, retry, discard, undo-discard, discarded, mark or export.");
    }
}
