package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan outboxes}: commands on the outboxes of the database. */
@Command(name = "outboxes", description = "List the outboxes of the database.", subcommands = OutboxesListCommand.class)
final class OutboxesCommand extends CommandGroup {
    OutboxesCommand() {
        super("Missing subcommand: list.");
    }
}
