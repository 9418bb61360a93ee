package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan bulk-retries}: commands on bulk retries of dead letters. */
@Command(
        name = "bulk-retries",
        description =
                "List, pause, resume or cancel bulk retries of dead letters, which dead-letters retry --all starts.",
        subcommands = {
            BulkRetriesListCommand.class,
            BulkRetriesChangeCommand.Pause.class,
            BulkRetriesChangeCommand.Resume.class,
            BulkRetriesChangeCommand.Cancel.class
        })
final class BulkRetriesCommand extends CommandGroup {
    BulkRetriesCommand() {
        super("Missing subcommand: list, pause, resume or cancel.");
    }
}
