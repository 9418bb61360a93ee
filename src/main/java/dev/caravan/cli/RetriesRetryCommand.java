package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan retries retry}: retries waiting messages now. */
@Command(
        name = "retry",
        sortOptions = false,
        description = {
            "Retry messages that wait for another attempt now. The count of their attempts continues, so the next failure may be the"
                    + " last.",
            "A blocked message is refused: retry the message it waits for. While the destination is unavailable or the subscription"
                    + " is paused, the messages keep waiting."
        })
final class RetriesRetryCommand extends RetriesChangeCommand {
    @Override
    ChangeText text() {
        return text("retry", "retried", "retried");
    }

    @Override
    String action() {
        return "retry";
    }

    @Override
    int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
        return new Retries(database).retry(chunk, by);
    }
}
