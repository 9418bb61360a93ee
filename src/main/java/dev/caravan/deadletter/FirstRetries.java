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
 * Watches the first few of many dead letters that are retried: the others follow when these are delivered. So dead letters that the
 * destination still refuses do not all come back at once, only to be dead again.
 */
public final class FirstRetries implements BulkChange.Trial {
    private static final int MESSAGES = 5;

    private static final long POLL_NANOS = 200_000_000L;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private record Outcome(long waiting, long failed, boolean worked) {}

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
     * Waits until the first ones are delivered or have failed again. While no relay works the subscription there is nothing to wait
     * for: all wait for a relay.
     *
     * @param goOn asked while it waits; false ends the wait
     * @return why the others must not follow, in one sentence; empty if they may
     */
    @Override
    public Optional<String> refusal(Selection.Chunk first, BooleanSupplier goOn)
            throws SQLException, InterruptedException {
        long end = time.nanos() + PATIENCE_NANOS;
        while (true) {
            Outcome outcome = look(first);
            if (outcome.failed > 0) {
                return Optional.of(outcome.failed + " of the first " + first.size() + " retried of "
                        + first.subscription() + " failed again, so the others were left alone");
            }
            if (outcome.waiting == 0 || !outcome.worked) {
                return Optional.empty();
            }
            if (time.nanos() - end >= 0 || !goOn.getAsBoolean()) {
                return Optional.of("The first " + first.size() + " retried of " + first.subscription()
                        + " still wait for their attempt, so the others were left alone");
            }
            time.pass(POLL_NANOS);
        }
    }

    private Outcome look(Selection.Chunk first) throws SQLException {
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
