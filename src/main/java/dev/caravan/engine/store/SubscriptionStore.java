package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.UnusedPermits;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reads and writes the row of one lane in {@code outbox_subscription}. Every method throws {@code DataAccessException} if the
 * database is unavailable or rejects the statement.
 */
public final class SubscriptionStore {
    /**
     * A claimed lane.
     *
     * @param sequence the state of the sequence of the outbox
     * @param readTo the last id to read while the number of lanes is being changed; {@link Long#MAX_VALUE} otherwise
     * @param delivered number of messages that the lane has delivered since its creation
     * @param unused the permits that the last owner has not used, if there was a rate
     */
    public record Claim(
            long epoch,
            SavedProgress progress,
            SequenceState sequence,
            long readTo,
            long delivered,
            UnusedPermits unused) {}

    /**
     * The result of a save.
     *
     * @param stopped whether the subscription is paused or halted
     * @param readTo the last id to read while the number of lanes is being changed; {@link Long#MAX_VALUE} otherwise
     * @param number number of this save of the lane, from 1
     * @param renewedAt time at or before the renewal of the lease, by {@link Clock#elapsed()}
     * @param freed keys whose next message is not blocked any more
     * @param vanished changes of messages that were deleted from the outbox: these messages are not stored anywhere
     */
    public record Saved(
            boolean stopped, long readTo, long number, long renewedAt, List<Key> freed, List<Change> vanished) {
        private Saved renewed(long at, ChangeStore.Written written) {
            return new Saved(stopped, readTo, number, at, written.freed(), written.vanished());
        }
    }

    /** The state of a transaction whose commit was not answered. */
    public enum TransactionState {
        COMMITTED,
        ABORTED,
        IN_PROGRESS
    }

    private static final int EXAMINED_PART_OF_LEASE = 8;

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final RetryStore retries;
    private final ChangeStore changes;
    private final LaneId lane;
    private final String relay;
    private final Duration lease;
    private final boolean deadLettersBlock;
    private final Clock clock;
    private final Sql saveStatement = Sql.file("engine/save_progress");

    /** The file of the sequence in which the ids up to the position of the claimed lane were assigned. */
    private long sequenceFile;
    /** Number of the last save that is known to be committed. */
    private long lastSave;
    /** Number of the last save that was requested, which may be committed too. */
    private long lastRequested;

    /** @param deadLettersBlock whether a dead letter blocks later messages of its key */
    public SubscriptionStore(
            JdbcTemplate jdbc, LaneId lane, String relay, Duration lease, boolean deadLettersBlock, Clock clock) {
        this.clock = clock;
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(jdbc.getDataSource()));
        this.retries = new RetryStore(jdbc, lane, deadLettersBlock);
        this.changes = new ChangeStore(jdbc, lane, relay, deadLettersBlock);
        this.deadLettersBlock = deadLettersBlock;
        this.lane = lane;
        this.relay = relay;
        this.lease = lease;
    }

    /**
     * Claims the lane if no relay holds its lease and the subscription is neither paused nor halted.
     *
     * @param types {@code like} patterns of the message types of the subscription
     * @throws LaneCountMismatch if the subscription has another number of lanes
     * @throws HaltedException if the subscription is halted
     */
    public Optional<Claim> claim(String[] types) {
        return claim(types, ProvenSession.NONE, new Long[0]);
    }

    /** Claims the lane for a relay with a session; also claims it from an owner with one of the ended sessions, given by their keys. */
    public Optional<Claim> claim(String[] types, ProvenSession session, Long[] ended) {
        return ofLane("engine/claim")
                .with("lanes", lane.lanes())
                .with("relay", relay)
                .with("lease_millis", lease.toMillis())
                .with("session", session.key())
                .with("session_server", session.server())
                .with("types", types)
                .with("dead_letters_block", deadLettersBlock)
                .with("ended_sessions", ended)
                .first(jdbc, this::claimed)
                .flatMap(Function.identity());
    }

    private Sql ofLane(String file) {
        return Sql.file(file).with("subscription", lane.subscription()).with("lane", lane.number());
    }

    private Optional<Claim> claimed(ResultSet row) throws SQLException {
        LaneCountMismatch.throwIfOther(lane.subscription(), lane.lanes(), row.getInt(1));
        HaltedException.throwIfHalted(lane.subscription(), row.getString(9));
        long epoch = row.getLong(2);
        if (row.wasNull()) {
            return Optional.empty();
        }
        sequenceFile = row.getLong(12);
        lastSave = row.getLong(8);
        lastRequested = lastSave;
        return Optional.of(new Claim(
                epoch,
                new SavedProgress(row.getLong(3), IdRanges.parse(row.getString(4))),
                new SequenceState(row.getLong(5), row.getLong(13)),
                row.getLong(6),
                row.getLong(7),
                UnusedPermits.of(row.getObject(10, Long.class), row.getBoolean(11))));
    }

    /**
     * Checks that the sequence continues after a position of the claimed lane.
     *
     * @throws SequenceRestartedException if it may assign ids up to the position again, or has done so
     */
    public void requireSame(SequenceState found, long position) {
        if (position > found.lastId() || found.file() != sequenceFile) {
            throw new SequenceRestartedException(position, found);
        }
    }

    /**
     * Saves progress and the changes of messages in one transaction, and renews the lease. Returns empty and changes nothing if
     * another relay has claimed the lane, or if the row does not contain the last save.
     *
     * @throws SequenceRestartedException if the position is ahead of the sequence; nothing is changed
     * @throws CommitUnknown if it is unknown whether the transaction was committed
     */
    public Optional<Saved> save(long epoch, Save save) {
        Optional<Saved> saved = save.changes().isEmpty() ? saveProgress(epoch, save) : saveWithChanges(epoch, save);
        saved.ifPresent(answered -> lastSave = answered.number());
        return saved;
    }

    /** The statement that saves progress, alone or as a part of {@link #save} with changes of messages. */
    public Sql saveStatement() {
        return saveStatement;
    }

    private Optional<Saved> saveWithChanges(long epoch, Save save) {
        AtomicReference<Saved> begun = new AtomicReference<>();
        try {
            return transaction.execute(status -> {
                begin();
                Optional<Saved> saved = saveProgress(epoch, save);
                if (saved.isEmpty()) {
                    return saved;
                }
                begun.set(saved.get());
                ChangeStore.Written written = changes.write(save.changes());
                long requestedAt = clock.elapsed();
                ofLane("engine/renew").with("lease_millis", lease.toMillis()).update(jdbc);
                return Optional.of(saved.get().renewed(requestedAt, written));
            });
        } catch (RuntimeException | Error e) {
            if (begun.get() == null) {
                throw e;
            }
            throw new CommitUnknown(begun.get().number(), e);
        }
    }

    private void begin() {
        Sql.file("engine/begin_save")
                .with("idle_timeout", Long.toString(lease.toMillis()))
                .query(jdbc, row -> row);
    }

    /**
     * Finds the changes of a save that the database rejects because of their data. Stops after an eighth of the duration of the
     * lease; examines none if another relay has claimed the lane. Changes nothing in the database.
     */
    public RefusedChanges.Found refused(long epoch, Save save) {
        long end = clock.nanos() + lease.dividedBy(EXAMINED_PART_OF_LEASE).toNanos();
        return transaction.execute(status -> {
            status.setRollbackOnly();
            begin();
            Sql.file("engine/check_at_once").update(jdbc);
            return saveProgress(epoch, save).isEmpty()
                    ? new RefusedChanges.Found(Map.of(), 0)
                    : RefusedChanges.among(save.changes(), status, changes::write, () -> clock.nanos() - end >= 0);
        });
    }

    /** The state of the save with this number, which must not have been repeated. */
    public TransactionState stateOfSave(long epoch, long number) {
        TransactionState state = ofLane("engine/save_outcome")
                .with("epoch", epoch)
                .with("number", number)
                .first(jdbc, row -> row.getBoolean(1) ? TransactionState.COMMITTED : TransactionState.ABORTED)
                .orElse(TransactionState.IN_PROGRESS);
        if (state == TransactionState.COMMITTED) {
            lastSave = number;
        }
        return state;
    }

    private Optional<Saved> saveProgress(long epoch, Save save) {
        long requestedAt = clock.elapsed();
        ProgressRow row = row(epoch, save);
        return row.in(saveStatement)
                .first(jdbc, found -> saved(found, requestedAt, row.position()))
                .flatMap(Function.identity());
    }

    /** What a save writes into the row of the lane. Each call counts as a save that is requested. */
    public ProgressRow row(long epoch, Save save) {
        long earlier = lastRequested++;
        return new ProgressRow(lane, epoch, save, lease, lastRequested, lastSave, earlier);
    }

    /** Records that the row contains the save with this number, which was made together with other lanes. */
    public void saved(long number) {
        lastSave = number;
    }

    /** The file of the sequence in which the ids up to the position of the claimed lane were assigned. */
    public long sequenceFile() {
        return sequenceFile;
    }

    private Optional<Saved> saved(ResultSet row, long requestedAt, long position) throws SQLException {
        long lastId = row.getLong(1);
        long number = row.getLong(2);
        if (!row.wasNull()) {
            return Optional.of(new Saved(row.getBoolean(3), row.getLong(4), number, requestedAt, List.of(), List.of()));
        }
        if (position > lastId) {
            throw new SequenceRestartedException(position, new SequenceState(lastId, sequenceFile));
        }
        return Optional.empty();
    }

    /** Releases the lease; no effect if another relay has claimed the lane. */
    public void release(long epoch) {
        release(epoch, Optional.empty());
    }

    /** @param unused the time in which the unused permits of the lane have accumulated; empty without a rate */
    public void release(long epoch, Optional<Duration> unused) {
        ofLane("engine/release")
                .with("epoch", epoch)
                .with("unused_millis", unused.map(Duration::toMillis).orElse(null))
                .update(jdbc);
    }

    public LaneId lane() {
        return lane;
    }

    /** The rows of all lanes of the subscription. */
    public SubscriptionRows rows() {
        return new SubscriptionRows(jdbc, lane);
    }

    /** The messages of this lane in {@code outbox_retry} and {@code outbox_dead_letter}. */
    public RetryStore retries() {
        return retries;
    }
}
