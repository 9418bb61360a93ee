package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan audit}: the changes that people made. */
@Command(
        name = "audit",
        description = "List the changes that people made: who, when, what and why.",
        subcommands = AuditListCommand.class)
final class AuditCommand extends CommandGroup {
    AuditCommand() {
        super("Missing subcommand: list.");
    }
}
