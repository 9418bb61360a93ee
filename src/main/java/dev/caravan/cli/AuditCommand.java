package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan audit}: what people changed. */
@Command(
        name = "audit",
        description = "List what people changed: who, when, what and why.",
        subcommands = AuditListCommand.class)
final class AuditCommand extends CommandGroup {
    AuditCommand() {
        super("Say what to do with the audit: list.");
    }
}
