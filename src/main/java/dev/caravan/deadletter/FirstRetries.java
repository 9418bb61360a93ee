package dev.caravan.deadletter;

import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.selection.BulkChange;
import dev.caravan.selection.ChangePace;
import dev.caravan.selection.Selection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/**
 * Checks the first few of many retried dead letters: the others are retried only after these are delivered. This prevents a retry of
 * all dead letters that the destination would still reject.
 */
public final class FirstRetries implements BulkChange.Trial {
    private static final int MESSAGES = 5;

    private static final long POLL_NANOS = 200_000_000L;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private record Outcome(long waiting, long failed, boolean owned) {}

    private final DataSource dataSource;
    private final ChangePace.Time time;

    public FirstRetries(DataSource dataSource, ChangePace.Time time) {
        this.dataSource = dataSource;
        this.time = time;
    }

    @Override
    public int messages() {
        return MESSAGES;
    }

    /**
     * Waits until the first ones are delivered or have failed again. Does not wait while no relay owns a lane of the subscription.
     *
     * @param goOn called during the wait; false ends it
     * @return why the others must not be retried, in one sentence; empty if they may
     */
    @Override
    public Optional<String> refusal(Selection.Chunk first, BooleanSupplier goOn)
            throws SQLException, InterruptedException {
        long end = time.nanos() + PATIENCE_NANOS;
        while (true) {
            Outcome outcome = outcome(first);
            if (outcome.failed > 0) {
                return Optional.of(outcome.failed + " of the first " + first.size() + " retried of "
                        + first.subscription() + " failed again, so the others were left alone");
            }
            if (outcome.waiting == 0 || !outcome.owned) {
                return Optional.empty();
            }
            if (time.nanos() - end >= 0 || !goOn.getAsBoolean()) {
                return Optional.of("The first " + first.size() + " retried of " + first.subscription()
                        + " still wait for their attempt, so the others were left alone");
            }
            time.pass(POLL_NANOS);
        }
    }

    private Outcome outcome(Selection.Chunk first) throws SQLException {
        String name = first.subscription();
        List<Outcome> outcome = Transaction.run(
                dataSource,
                connection -> Statement.query(
                        connection,
                        "deadletter/retried_dead_letters",
                        row -> new Outcome(row.getLong(1), row.getLong(2), row.getBoolean(3)),
                        name,
                        name,
                        first.ids(),
                        name,
                        first.ids()));
        return outcome.get(0);
    }
}
