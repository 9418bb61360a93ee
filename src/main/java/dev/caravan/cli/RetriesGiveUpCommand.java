package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.retry.Retries;
import dev.caravan.selection.BulkChange;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan retries give-up}: make a dead letter of it. */
@Command(
        name = "give-up",
        sortOptions = false,
        description = {
            "Make dead letters of messages that wait for another attempt; --reason says why. What is blocked behind them follows,"
                    + " with onDead=block and in order strict only when the dead letter is retried or discarded.",
            "A blocked message is refused. An attempt that is on its way at that moment may still deliver the message; it is a"
                    + " dead letter all the same."
        })
final class RetriesGiveUpCommand extends RetriesChangeCommand {
    @Override
    public Integer call() throws Exception {
        if (by().reason().isEmpty()) {
            throw wrongUse("To give up needs a reason: --reason TEXT. Nothing was changed.");
        }
        return super.call();
    }

    @Override
    ChangeText text() {
        return text("give up", "gave up", "given up");
    }

    @Override
    BulkChange.Change change(DataSource database, Actor by) {
        Retries retries = new Retries(database);
        return chunk -> retries.giveUp(chunk, by);
    }
}
