package dev.caravan.adopt.intake;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes into the rows of the source what became of their messages. The source commits first: a crash repeats a change that changes nothing. A row
 * that is pending again is not changed: that would end its condition before it is copied.
 */
final class Outcomes {
    private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration CHECK_INTERVAL = Duration.ofMinutes(1);
    private static final int PAGE = 1_000;

    /** Pages of one round: copying must not wait for long. */
    private static final int PAGES = 5;

    /** The length of an error that fits into most columns: a longer one that the source refuses is cut to it. */
    private static final int SHORT_ERROR = 200;

    /** Classes of SQLSTATEs of a change that a database refuses because of its content; also those of Oracle, of SQL Server and of triggers. */
    private static final Set<String> REFUSALS = Set.of("22", "23", "45", "72", "P0", "S0");

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

        boolean hasLongError() {
            return error != null && error.length() > SHORT_ERROR;
        }

        Found withShortError() {
            return new Found(id, key, kind, attempts, Texts.bounded(error, SHORT_ERROR), failedAt);
        }
    }

    private final Intake intake;
    private final Intake.Outcome outcome;
    private final IntakeStore store;
    private final SourceConnection connection;
    private final Clock clock;
    private long after = Long.MIN_VALUE;
    private long dueAt;
    /** When it was checked that the subscription exists. */
    private long checkedAt;
    /** What the source refused in the last attempt; null if nothing. */
    private SQLException refused;

    Outcomes(Intake intake, Intake.Outcome outcome, IntakeStore store, SourceConnection connection, Clock clock) {
        this.intake = intake;
        this.outcome = outcome;
        this.store = store;
        this.connection = connection;
        this.clock = clock;
        dueAt = clock.nanos();
        checkedAt = clock.nanos(); // a relay that starts adds its subscriptions first
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
     * @throws SQLException also if the source has refused single rows: the others are written, and these are tried again
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
            write(source, decided, requireLease);
            isFull = found.size() == PAGE;
            after = isFull ? found.get(PAGE - 1).id() : Long.MIN_VALUE;
        }
        if (!isFull) {
            dueAt = clock.nanos() + INTERVAL.toNanos();
        }
        if (clock.nanos() - checkedAt >= CHECK_INTERVAL.toNanos()) {
            checkedAt = clock.nanos();
            warnWithoutSubscription();
        }
        if (refused != null) {
            SQLException first = refused;
            refused = null;
            throw first;
        }
    }

    private void warnWithoutSubscription() {
        boolean exists = IntakeLoop.outbox(() -> Sql.file("adopt/intake_outcome_subscription")
                .with("subscription", outcome.subscription())
                .first(store.database(), row -> row.getBoolean(1))
                .orElseThrow());
        if (!exists) {
            LOG.warn(
                    "Intake {}: there is no subscription {}, so no outcome is written back, and the rows of outbox_intake_row become more and"
                            + " more. Correct outcome.subscription in {}, or start the route of the subscription",
                    intake.name(),
                    outcome.subscription(),
                    intake.file());
        }
    }

    private List<Found> page() throws SQLException {
        return Sql.file("adopt/intake_outcomes")
                .with("intake", intake.name())
                .with("subscription", outcome.subscription())
                .with("rejected", store.subscription())
                .with("after", after)
                .with("limit", PAGE)
                .query(store.database(), Found::of);
    }

    private void write(Source source, List<Found> decided, Runnable requireLease) throws SQLException {
        Halves.work(decided, REFUSALS, part -> writePart(source, part, requireLease), (found, refusal) -> {
            if (found.hasLongError()) { // it may be too long for its column
                write(source, List.of(found.withShortError()), requireLease);
            } else {
                refused = refused == null ? refusal : refused;
            }
        });
    }

    private void writePart(Source source, List<Found> decided, Runnable requireLease) throws SQLException {
        Map<RowKey, Found> latest = new LinkedHashMap<>(); // of a row that was copied more than once
        for (Found each : decided) {
            if (each.kind() != Kind.FINAL && source.fits(each.key())) {
                latest.merge(each.key(), each, (one, other) -> Math.abs(one.id()) > Math.abs(other.id()) ? one : other);
            }
        }
        writeSource(source, latest.values(), requireLease);
        IntakeLoop.outbox(() -> written(decided));
    }

    private void writeSource(Source source, Collection<Found> rows, Runnable requireLease) throws SQLException {
        if (!rows.isEmpty()) {
            connection.inTransaction(transaction -> {
                List<RowKey> delivered = new ArrayList<>();
                List<Source.Dead> dead = new ArrayList<>();
                for (Found each : rows) {
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
    }

    private int written(List<Found> decided) throws SQLException {
        List<Found> dead =
                decided.stream().filter(each -> each.kind() == Kind.DEAD).toList();
        List<Found> others =
                decided.stream().filter(each -> each.kind() != Kind.DEAD).toList();
        return Transaction.run(store.database(), transaction -> Sql.file("adopt/intake_outcomes_written")
                .with("intake", intake.name())
                .withEach("final", others, Found::id, Long[]::new)
                .withEach("dead", dead, Found::id, Long[]::new)
                .withEach("failed_at", dead, Found::failedAt, String[]::new)
                .update(transaction));
    }
}
