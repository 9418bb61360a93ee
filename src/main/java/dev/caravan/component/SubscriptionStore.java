package dev.caravan.component;

import dev.caravan.lane.Acknowledgement;
import dev.caravan.lane.IdRanges;
import dev.caravan.lane.SavedProgress;
import dev.caravan.lane.Writers;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The row of one lane in {@code outbox_subscription}, and the lock table that tells open transactions from rolled-back ones.
 * Every method throws {@link DataAccessException} when the database cannot be reached or refuses.
 */
final class SubscriptionStore {
    private static final int LANE = 0; // one lane per subscription

    /** A lease just taken. {@code lastId} is the last id that the sequence of the outbox gave out. */
    record Claim(long epoch, SavedProgress progress, long lastId) {}

    /**
     * What a save showed.
     *
     * @param paused a person has stopped the subscription
     * @param number counts the saves of this lane
     * @param renewedAt a moment not after that from which the lease was renewed, on the clock of {@link System#nanoTime()}
     */
    record Saved(boolean paused, long lastId, long number, long renewedAt) {
        private Saved renewed(long at) {
            return new Saved(paused, lastId, number, at);
        }
    }

    /** What became of a save. */
    enum Outcome {
        COMMITTED,
        ABORTED,
        IN_PROGRESS
    }

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final RetryStore retries;
    private final String name;
    private final String relay;
    private final Duration lease;

    SubscriptionStore(JdbcTemplate jdbc, String name, String relay, Duration lease) {
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(jdbc.getDataSource()));
        this.retries = new RetryStore(jdbc, name);
        this.name = name;
        this.relay = relay;
        this.lease = lease;
    }

    /** Creates the subscription if it does not exist. */
    void subscribe(Start start) {
        if (start.latest()) {
            jdbc.update(Sql.SUBSCRIBE_LATEST.text(), name, LANE);
        } else if (start.since() == null) {
            jdbc.update(Sql.SUBSCRIBE.text(), name, LANE, start.id() - 1);
        } else {
            jdbc.update(Sql.SUBSCRIBE_SINCE.text(), name, LANE, Timestamp.from(start.since()));
        }
    }

    /**
     * Takes the lease if nobody holds it and the subscription is not paused.
     *
     * @param types patterns of LIKE that select the messages of the subscription
     */
    Optional<Claim> claim(String[] types) {
        return jdbc
                .query(
                        Sql.CLAIM.text(),
                        (row, n) -> new Claim(
                                row.getLong(1),
                                new SavedProgress(row.getLong(2), IdRanges.parse(row.getString(3))),
                                row.getLong(4)),
                        relay,
                        lease.toMillis(),
                        types,
                        name,
                        LANE)
                .stream()
                .findFirst();
    }

    /**
     * Saves progress and what became of messages in one transaction, and renews the lease; empty, and nothing is changed, if
     * another relay has taken the lane.
     *
     * @throws UnansweredSaveException if changes were to be written and nobody knows whether they are
     */
    Optional<Saved> save(long epoch, Acknowledgement acknowledgement) {
        if (acknowledgement.changes().isEmpty()) {
            return save(epoch, acknowledgement.progress());
        }
        AtomicReference<Saved> begun = new AtomicReference<>();
        try {
            return transaction.execute(status -> {
                jdbc.queryForMap(Sql.BEGIN_SAVE.text(), Long.toString(lease.toMillis()));
                Optional<Saved> saved = save(epoch, acknowledgement.progress());
                if (saved.isEmpty()) {
                    return saved;
                }
                begun.set(saved.get());
                retries.write(acknowledgement.changes());
                long asked = System.nanoTime();
                jdbc.update(Sql.RENEW.text(), lease.toMillis(), name, LANE);
                return Optional.of(saved.get().renewed(asked));
            });
        } catch (RuntimeException e) {
            if (begun.get() == null) {
                throw e;
            }
            throw new UnansweredSaveException(begun.get().number(), e);
        }
    }

    /** What became of the save with this number, which its holder has not repeated. */
    Outcome outcome(long epoch, long number) {
        return jdbc.queryForList(Sql.SAVE_OUTCOME.text(), Boolean.class, epoch, number, name, LANE).stream()
                .findFirst()
                .map(saved -> saved ? Outcome.COMMITTED : Outcome.ABORTED)
                .orElse(Outcome.IN_PROGRESS);
    }

    private Optional<Saved> save(long epoch, SavedProgress progress) {
        long asked = System.nanoTime();
        return jdbc
                .query(
                        Sql.ACKNOWLEDGE.text(),
                        (row, n) -> new Saved(row.getBoolean(1), row.getLong(2), row.getLong(3), asked),
                        progress.position(),
                        progress.gaps().toMultirange(),
                        lease.toMillis(),
                        name,
                        LANE,
                        epoch)
                .stream()
                .findFirst();
    }

    /** Gives the lease back; no effect if another relay has taken the lane. */
    void release(long epoch) {
        jdbc.update(Sql.RELEASE.text(), name, LANE, epoch);
    }

    /** The messages of this subscription that wait or are dead. */
    RetryStore retries() {
        return retries;
    }

    /** The transactions that hold the lock of an insert on the outbox now. */
    Writers writers() {
        Set<String> running = new HashSet<>();
        Set<String> prepared = new HashSet<>();
        jdbc.query(Sql.WRITERS.text(), row -> {
            String id = row.getString(1);
            // The lock of a prepared transaction belongs to no backend: its virtual id starts with -1.
            (id.startsWith("-1/") ? prepared : running).add(id);
        });
        return new Writers(running, prepared);
    }
}
