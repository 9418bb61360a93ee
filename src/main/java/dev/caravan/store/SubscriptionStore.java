package dev.caravan.store;

import dev.caravan.clock.Clock;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Outage;
import dev.caravan.lane.Change;
import dev.caravan.lane.LaneReport;
import dev.caravan.lane.Save;
import dev.caravan.progress.IdRanges;
import dev.caravan.progress.SavedProgress;
import dev.caravan.progress.Writers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The row of one lane in {@code outbox_subscription}, and the lock table that tells open transactions from rolled-back ones.
 * Every method throws {@link DataAccessException} when the database cannot be reached or refuses.
 */
public final class SubscriptionStore {
    /**
     * A lease just taken.
     *
     * @param lastId the last id that the sequence of the outbox gave out
     * @param readTo the last id to read, because the number of lanes is being changed; {@link Long#MAX_VALUE} otherwise
     * @param delivered how many messages the lane has delivered so far
     */
    public record Claim(long epoch, SavedProgress progress, long lastId, long readTo, long delivered) {}

    /**
     * What a save showed.
     *
     * @param stopped the subscription is paused or halted
     * @param readTo the last id to read, because the number of lanes is being changed; {@link Long#MAX_VALUE} otherwise
     * @param number counts the saves of this lane
     * @param renewedAt a moment not after that from which the lease was renewed, by {@link Clock#elapsed()}
     * @param freed keys whose next message may go on, because what it waited for is gone
     * @param vanished changes of messages that somebody has deleted from the outbox: they are not kept any more
     */
    public record Saved(
            boolean stopped, long readTo, long number, long renewedAt, List<Key> freed, List<Change> vanished) {
        private Saved renewed(long at, ChangeStore.Written written) {
            return new Saved(stopped, readTo, number, at, written.freed(), written.vanished());
        }
    }

    /** What became of a save. */
    public enum Outcome {
        COMMITTED,
        ABORTED,
        IN_PROGRESS
    }

    private static final int EXAMINED_PART_OF_LEASE = 8;

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final RetryStore retries;
    private final ChangeStore changes;
    private final WriterStore writers;
    private final LaneId lane;
    private final String relay;
    private final Duration lease;
    private final boolean deadLettersBlock;
    private final Clock clock;

    /** The number of the last save that is known to be in the row. */
    private long lastSave;
    /** The number of the last save that was asked for, which may be in the row too. */
    private long lastAsked;

    /** @param deadLettersBlock whether a dead letter holds back later messages of its key */
    public SubscriptionStore(
            JdbcTemplate jdbc, LaneId lane, String relay, Duration lease, boolean deadLettersBlock, Clock clock) {
        this.clock = clock;
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(jdbc.getDataSource()));
        this.retries = new RetryStore(jdbc, lane, deadLettersBlock);
        this.changes = new ChangeStore(jdbc, lane, deadLettersBlock);
        this.writers = new WriterStore(jdbc);
        this.deadLettersBlock = deadLettersBlock;
        this.lane = lane;
        this.relay = relay;
        this.lease = lease;
    }

    /** Whether the subscription exists. */
    boolean isSubscribed() {
        return jdbc.queryForObject(Sql.IS_SUBSCRIBED.text(), (row, n) -> row.getBoolean(1), lane.subscription());
    }

    /** The last id that was drawn. */
    long lastId() {
        return jdbc.queryForObject(Sql.LAST_ID.text(), (row, n) -> row.getLong(1));
    }

    /** Creates all lanes of the subscription if it does not exist. */
    public void subscribe(Start start) {
        subscribe(start, 1);
    }

    /**
     * The same.
     *
     * @param firstOpen no transaction can fill a missing id below this one any more
     */
    public void subscribe(Start start, long firstOpen) {
        if (start.latest()) {
            jdbc.update(Sql.SUBSCRIBE_LATEST.text(), firstOpen, lane.subscription(), lane.lanes(), lane.lanes());
        } else if (start.since() == null) {
            jdbc.update(Sql.SUBSCRIBE.text(), lane.subscription(), lane.lanes(), start.id() - 1, lane.lanes());
        } else {
            jdbc.update(
                    Sql.SUBSCRIBE_SINCE.text(),
                    firstOpen,
                    lane.subscription(),
                    lane.lanes(),
                    Timestamp.from(start.since()),
                    lane.lanes());
        }
    }

    /**
     * Takes the lease if nobody holds it and the subscription is neither paused nor halted.
     *
     * @param types patterns of LIKE that select the messages of the subscription
     * @throws LaneCountMismatch if the subscription has another number of lanes
     * @throws HaltedException if the subscription is halted
     */
    public Optional<Claim> claim(String[] types) {
        return jdbc
                .query(
                        Sql.CLAIM.text(),
                        (row, n) -> claimed(row),
                        lane.subscription(),
                        lane.number(),
                        relay,
                        lease.toMillis(),
                        lease.toMillis(),
                        types,
                        deadLettersBlock,
                        lane.subscription(),
                        lane.number(),
                        lane.lanes(),
                        lane.subscription())
                .stream()
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<Claim> claimed(ResultSet row) throws SQLException {
        LaneCountMismatch.throwIfOther(lane.subscription(), lane.lanes(), row.getInt(1));
        String halted = row.getString(9);
        if (halted != null) {
            throw new HaltedException(lane.subscription(), halted);
        }
        long epoch = row.getLong(2);
        if (row.wasNull()) {
            return Optional.empty();
        }
        lastSave = row.getLong(8);
        lastAsked = lastSave;
        return Optional.of(new Claim(
                epoch,
                new SavedProgress(row.getLong(3), IdRanges.parse(row.getString(4))),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7)));
    }

    /**
     * Saves progress and what became of messages in one transaction, and renews the lease; empty, and nothing is changed, if
     * another relay has taken the lane or the last save is not in the row.
     *
     * @throws PositionAheadException if the position is ahead of the sequence; nothing is changed
     * @throws CommitUnknown if changes were to be written and nobody knows whether they are
     */
    public Optional<Saved> save(long epoch, Save save) {
        Optional<Saved> saved = save.changes().isEmpty() ? saveProgress(epoch, save) : saveWithChanges(epoch, save);
        saved.ifPresent(answered -> lastSave = answered.number());
        return saved;
    }

    private Optional<Saved> saveWithChanges(long epoch, Save save) {
        AtomicReference<Saved> begun = new AtomicReference<>();
        try {
            return transaction.execute(status -> {
                jdbc.queryForMap(Sql.BEGIN_SAVE.text(), Long.toString(lease.toMillis()));
                Optional<Saved> saved = saveProgress(epoch, save);
                if (saved.isEmpty()) {
                    return saved;
                }
                begun.set(saved.get());
                ChangeStore.Written written = changes.write(save.changes());
                long asked = clock.elapsed();
                jdbc.update(Sql.RENEW.text(), lease.toMillis(), lane.subscription(), lane.number());
                return Optional.of(saved.get().renewed(asked, written));
            });
        } catch (RuntimeException | Error e) {
            if (begun.get() == null) {
                throw e;
            }
            throw new CommitUnknown(begun.get().number(), e);
        }
    }

    /**
     * Examines the changes of a save for those that are refused because of what they hold, for a part of the lease; examines none if
     * another relay has taken the lane. Nothing is changed by asking.
     */
    public RefusedChanges.Found refused(long epoch, Save save) {
        long end = clock.nanos() + lease.dividedBy(EXAMINED_PART_OF_LEASE).toNanos();
        return transaction.execute(status -> {
            status.setRollbackOnly();
            jdbc.queryForMap(Sql.BEGIN_SAVE.text(), Long.toString(lease.toMillis()));
            jdbc.execute(Sql.CHECK_AT_ONCE.text());
            return saveProgress(epoch, save).isEmpty()
                    ? new RefusedChanges.Found(List.of(), 0)
                    : RefusedChanges.among(save.changes(), status, changes::write, () -> clock.nanos() - end >= 0);
        });
    }

    /** What became of the save with this number, which its holder has not repeated. */
    public Outcome outcome(long epoch, long number) {
        Outcome outcome = jdbc
                .queryForList(Sql.SAVE_OUTCOME.text(), Boolean.class, epoch, number, lane.subscription(), lane.number())
                .stream()
                .findFirst()
                .map(saved -> saved ? Outcome.COMMITTED : Outcome.ABORTED)
                .orElse(Outcome.IN_PROGRESS);
        if (outcome == Outcome.COMMITTED) {
            lastSave = number;
        }
        return outcome;
    }

    private Optional<Saved> saveProgress(long epoch, Save save) {
        long asked = clock.elapsed();
        long earlier = lastAsked;
        IdRanges older = save.progress().olderGaps();
        lastAsked++;
        return jdbc
                .query(
                        Sql.SAVE_PROGRESS.text(),
                        (row, n) -> saved(row, asked, save.progress().position()),
                        save.progress().position(),
                        save.progress().gaps().toMultirange(),
                        older != null,
                        older == null || older.isEmpty() ? null : older.toMultirange(),
                        save.delivered(),
                        lease.toMillis(),
                        lastAsked,
                        lane.subscription(),
                        lane.number(),
                        epoch,
                        lastSave,
                        earlier,
                        save.progress().position())
                .stream()
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<Saved> saved(ResultSet row, long asked, long position) throws SQLException {
        long lastId = row.getLong(1);
        long number = row.getLong(2);
        if (!row.wasNull()) {
            return Optional.of(new Saved(row.getBoolean(3), row.getLong(4), number, asked, List.of(), List.of()));
        }
        if (position > lastId) {
            throw new PositionAheadException(position, lastId);
        }
        return Optional.empty();
    }

    /**
     * Halts the subscription if the saved position of one of its lanes is ahead of an id.
     *
     * @param lastId the last id that the sequence had given out when this was found
     * @return whether it was running and is halted now
     */
    public boolean halt(long lastId) {
        return jdbc.update(Sql.HALT.text(), lane.subscription(), lastId, lastId, lane.subscription()) > 0;
    }

    /** Tells how the lane is doing; no effect if another relay has taken it. */
    public void report(long epoch, LaneReport report) {
        Optional<Outage> outage = report.outage();
        jdbc.update(
                Sql.REPORT.text(),
                report.inFlight(),
                report.latencyMillis().isPresent() ? report.latencyMillis().getAsInt() : null,
                outage.map(current -> current.since().toMillis()).orElse(null),
                outage.map(Outage::reason).orElse(null),
                outage.map(current -> current.untilProbe().toMillis()).orElse(null),
                lane.subscription(),
                lane.number(),
                epoch);
    }

    /** Gives the lease back; no effect if another relay has taken the lane. */
    public void release(long epoch) {
        jdbc.update(Sql.RELEASE.text(), lane.subscription(), lane.number(), epoch);
    }

    /** Lets it look over a connection of this lane. */
    public void look(Horizon horizon) {
        horizon.look(jdbc);
    }

    /** The messages of this lane that wait or are dead. */
    public RetryStore retries() {
        return retries;
    }

    /** The transactions that hold the lock of an insert on the outbox now. */
    public Writers writers() {
        return writers(false);
    }

    /** The same, if asked for with those that stand still. */
    public Writers writers(boolean whoStandsStill) {
        return whoStandsStill ? writers.withIdleOnes() : writers.writers();
    }
}
