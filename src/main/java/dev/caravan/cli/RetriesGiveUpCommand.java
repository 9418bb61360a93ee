package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan retries give-up}: turns waiting messages into dead letters. */
@Command(
        name = "give-up",
        sortOptions = false,
        description = {
            "Turn messages that wait for another attempt into dead letters. --reason is required. Messages blocked behind them are"
                    + " delivered next; with onDead=block or order=strict only after the dead letter is retried or discarded.",
            "A blocked message is refused. An attempt in flight may still deliver the message; it becomes a dead letter"
                    + " nevertheless."
        })
final class RetriesGiveUpCommand extends RetriesChangeCommand {
    @Override
    public Integer call() throws Exception {
        if (by().reason().isEmpty()) {
            throw usageError("Giving up needs a reason: --reason TEXT. Nothing was changed.");
        }
        return super.call();
    }

    @Override
    ChangeText text() {
        return text("give up", "gave up", "given up");
    }

    @Override
    String action() {
        return "give-up";
    }

    @Override
    int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
        return new Retries(database).giveUp(chunk, by);
    }
}
