package dev.caravan.adopt.intake;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes into the rows of the source what became of their messages. The source commits first: a crash repeats a change that changes nothing. A row
 * that is pending again is not changed: that would end its condition before it is copied.
 */
final class Outcomes {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int PAGE = 1_000;

    /** Pages of one round: copying must not wait for long. */
    private static final int PAGES = 5;

    private enum Kind {
        WAITING,
        DELIVERED,
        DEAD,
        /** Nothing is written any more: a person has discarded it, or retried a rejected row. */
        FINAL
    }

    private record Found(long id, RowKey key, Kind kind, int attempts, String error, String failedAt) {
        static Found of(ResultSet row) throws SQLException {
            return new Found(
                    row.getLong("id"),
                    RowKey.of(row.getString("row_key")),
                    Kind.valueOf(row.getString("kind")),
                    row.getInt("attempts"),
                    row.getString("error_text"),
                    row.getString("failed_at"));
        }
    }

    private final Intake intake;
    private final Intake.Outcome outcome;
    private final IntakeStore store;
    private final SourceConnection connection;
    private final Clock clock;
    private long after = Long.MIN_VALUE;
    private long dueAt;

    Outcomes(Intake intake, Intake.Outcome outcome, IntakeStore store, SourceConnection connection, Clock clock) {
        this.intake = intake;
        this.outcome = outcome;
        this.store = store;
        this.connection = connection;
        this.clock = clock;
        dueAt = clock.nanos();
    }

    /** Begins with the oldest message again. */
    void forget() {
        after = Long.MIN_VALUE;
        dueAt = clock.nanos();
    }

    /**
     * Writes the outcomes of some messages, if it is time.
     *
     * @param requireLease fails if the lease has ended
     */
    void write(Source source, Runnable requireLease) throws SQLException {
        if (clock.nanos() - dueAt < 0) {
            return;
        }
        boolean isFull = true;
        for (int page = 0; page < PAGES && isFull; page++) {
            List<Found> found = IntakeLoop.outbox(this::page);
            List<Found> decided =
                    found.stream().filter(each -> each.kind() != Kind.WAITING).toList();
            if (!decided.isEmpty()) {
                write(source, decided, requireLease);
            }
            isFull = found.size() == PAGE;
            after = isFull ? found.get(PAGE - 1).id() : Long.MIN_VALUE;
        }
        if (!isFull) {
            dueAt = clock.nanos() + INTERVAL.toNanos();
        }
    }

    private List<Found> page() throws SQLException {
        return Sql.file("adopt/intake_outcomes")
                .with("intake", intake.name())
                .with("subscription", outcome.subscription())
                .with("rejected", Intake.subscription(intake.name()))
                .with("after", after)
                .with("limit", PAGE)
                .query(store.database(), Found::of);
    }

    private void write(Source source, List<Found> decided, Runnable requireLease) throws SQLException {
        Map<RowKey, Found> latest = new LinkedHashMap<>(); // of a row that was copied more than once
        for (Found each : decided) {
            if (each.kind() != Kind.FINAL && source.fits(each.key())) {
                latest.merge(each.key(), each, (one, other) -> Math.abs(one.id()) > Math.abs(other.id()) ? one : other);
            }
        }
        if (!latest.isEmpty()) {
            connection.inTransaction(transaction -> {
                List<RowKey> delivered = new ArrayList<>();
                List<Source.Dead> dead = new ArrayList<>();
                for (Found each : latest.values()) {
                    if (each.kind() == Kind.DELIVERED) {
                        delivered.add(each.key());
                    } else {
                        dead.add(new Source.Dead(each.key(), each.attempts(), each.error()));
                    }
                }
                source.writeDelivered(transaction, delivered);
                source.writeDead(transaction, dead);
                requireLease.run();
                return null;
            });
        }
        IntakeLoop.outbox(() -> written(decided));
    }

    private int written(List<Found> decided) throws SQLException {
        List<Found> dead =
                decided.stream().filter(each -> each.kind() == Kind.DEAD).toList();
        return Transaction.run(store.database(), transaction -> Sql.file("adopt/intake_outcomes_written")
                .with("intake", intake.name())
                .with(
                        "final",
                        decided.stream()
                                .filter(each -> each.kind() != Kind.DEAD)
                                .mapToLong(Found::id)
                                .toArray())
                .with("dead", dead.stream().mapToLong(Found::id).toArray())
                .with("failed_at", IntakeStore.texts(dead, Found::failedAt))
                .update(transaction));
    }
}
