package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.retry.Retries;
import dev.caravan.selection.BulkChange;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan retries retry}: try now. */
@Command(
        name = "retry",
        sortOptions = false,
        description = {
            "Let messages that wait for another attempt be tried now. Their attempts count on: the next failure may be the last.",
            "A blocked message is refused: retry the one it waits for. While the destination is away or the subscription is"
                    + " paused, they wait on."
        })
final class RetriesRetryCommand extends RetriesChangeCommand {
    @Override
    ChangeText text() {
        return text("retry", "retried", "retried");
    }

    @Override
    BulkChange.Change change(DataSource database, Actor by) {
        Retries retries = new Retries(database);
        return chunk -> retries.retry(chunk, by);
    }
}
