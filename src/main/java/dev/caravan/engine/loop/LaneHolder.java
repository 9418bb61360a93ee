package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneReport;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.Suspension;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.OtherHistoryException;
import dev.caravan.engine.store.SequenceRestartedException;
import dev.caravan.engine.store.SequenceState;
import dev.caravan.engine.store.SubscriptionStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The lane that this relay works, if it holds the lease: claims it, saves its progress after each read, and releases it. Used by one thread at a time.
 */
public final class LaneHolder {
    private static final Logger LOG = LoggerFactory.getLogger(LaneHolder.class);
    /** The query for writers costs about as much as a read, so it does not follow each read. */
    private static final long WRITERS_INTERVAL_NANOS = 10_000_000L;

    private final LoopSettings settings;
    private final Horizon horizon;
    private final JdbcTemplate jdbc;
    private final LaneReports reports;
    private final SubscriptionStore store;
    private final RetryIntake retries;
    private final LaneClaims claims;
    private final LaneId id;
    private final Clock clock;
    private final Presence presence;
    private final LaneCounters counters;
    private final Consumer<Change.Dead> deadLetters;

    private volatile Lane lane;
    private LaneSaves saves;

    private boolean draining;
    private long writersSeenAt;
    /** The report in the row of the lane; null if unknown. */
    private LaneReport reported;

    /**
     * @param deadLetters receives each dead letter after it is stored
     */
    public LaneHolder(
            LoopSettings settings,
            LaneId id,
            LaneConnections connections,
            Horizon horizon,
            LaneCounters counters,
            Consumer<Change.Dead> deadLetters) {
        this.settings = settings;
        clock = settings.clock();
        presence = settings.presence();
        writersSeenAt = clock.nanos();
        this.horizon = horizon;
        jdbc = new JdbcTemplate(connections);
        reports = new LaneReports(jdbc, id, settings.lane().order());
        store = new SubscriptionStore(
                jdbc, id, settings.relay(), settings.lease(), settings.lane().deadLettersBlock(), clock);
        retries = new RetryIntake(store.retries(), settings.lane());
        claims = new LaneClaims(settings, id, connections, store, retries, counters);
        this.id = id;
        this.counters = counters;
        this.deadLetters = deadLetters;
    }

    /** The lane, or null while this relay does not own it. */
    public Lane lane() {
        return lane;
    }

    /** The given keys whose new messages must wait for messages in the side tables. */
    public Set<Key> waiting(Collection<Key> keys) {
        return retries.waiting(keys);
    }

    /** @throws SequenceRestartedException if the sequence that a read has found does not continue after what the lane has read */
    public void requireSame(SequenceState found) {
        store.requireSame(found, lane.position());
    }

    /** Halts the subscription, and drops the lane, whose state is no longer valid. If this method throws, the lane is still owned. */
    void halt(SequenceRestartedException restarted) {
        if (lane != null) { // a save may have found it too
            saves.halt(restarted);
            drop();
        }
    }

    /** Whether the lane finishes its messages in flight to be released, because the number of lanes is being changed. */
    public boolean isDraining() {
        return draining;
    }

    /**
     * Requests the lease.
     *
     * @return whether this relay owns the lane now
     */
    public boolean claim() {
        Optional<Lane> claimed = claims.claim();
        claimed.ifPresent(this::own);
        return claimed.isPresent();
    }

    private void own(Lane claimed) {
        reported = null;
        draining = false;
        saves = new LaneSaves(claimed, id, store, settings, counters, deadLetters);
        presence.join(claimed);
        lane = claimed;
    }

    /** The connections of the lane. */
    public JdbcTemplate jdbc() {
        return jdbc;
    }

    /** The statement with which {@link #settleAndSave} saves progress. */
    public Sql saveStatement() {
        return store.saveStatement();
    }

    /** Does what is due: settles missing ids, saves progress, renews the lease, surveys the side tables, reports. */
    public void settleAndSave() {
        if (lane.needsWriters() && clock.nanos() - writersSeenAt >= WRITERS_INTERVAL_NANOS) {
            lane.observed(store.writers(lane.waitsForWriters()));
            writersSeenAt = clock.nanos();
        }
        lane.saveLessOften(horizon.age());
        if (saves.settle() && lane.saveIsDue()) {
            save();
        }
        if (lane != null) {
            retries.surveyIfDue(lane);
        }
        if (lane != null && lane.reportIsDue()) {
            report();
        }
        horizon.update(jdbc);
    }

    /** Writes the report of the lane if it differs from the last one. */
    private void report() {
        LaneReport report = lane.report();
        if (!report.equals(reported)) {
            reported = null; // until it is known to be written
            reports.write(lane.epoch(), report);
            reported = report;
        }
    }

    /** Takes messages from {@code outbox_retry} that are due or follow a finished one. */
    public void takeRetries() {
        retries.take(lane);
    }

    private void save() {
        Optional<SubscriptionStore.Saved> saved = saves.save();
        if (saved.isEmpty()) {
            drop();
            return;
        }
        drainIf(lane.readTo(saved.get().readTo()));
        if (saved.get().stopped()) {
            LOG.info("Subscription {} was paused or halted", id);
            release(Suspension.PAUSE);
        } else {
            lane.resume(Suspension.PAUSE); // resumed before the lane was released
        }
    }

    private void drainIf(boolean isReadToBarrier) {
        if (isReadToBarrier && !draining) {
            LOG.info(
                    "The number of lanes of subscription {} is being changed: this relay finishes the messages in flight",
                    id);
        }
        draining = isReadToBarrier;
    }

    /**
     * Drops the lane if the database was replaced by one with another history, where the state in memory may be wrong. The lane
     * is claimed again, with the progress of the new database, when its lease has expired.
     *
     * @return whether that was the cause of the failure
     */
    public boolean dropIfOtherHistory(Throwable failure) {
        Optional<OtherHistoryException> other = OtherHistoryException.in(failure);
        if (lane == null || other.isEmpty()) {
            return false;
        }
        LOG.warn(
                "Subscription {} stops on this relay: {}. A replica was promoted or a backup restored. The lane is claimed again when"
                        + " its lease has expired; messages delivered since the save found there are delivered again",
                id,
                other.get().getMessage());
        counters.lostLease();
        drop();
        return true;
    }

    /** Drops the lane without releasing the lease, which has expired or will expire. */
    public void drop() {
        if (lane != null) {
            lane.close();
            presence.leave(lane);
            lane = null;
            saves = null;
        }
    }

    /**
     * Saves and releases the lease, so that another relay can take over at once. If a message is still in flight, the lease is
     * not released but expires: until then no relay starts a later message of the same key. If this method throws, the lane is
     * still owned and suspended; call it again, or resume the lane.
     *
     * @param maxWait limit of the wait for messages in flight, and limit of the time for saving in parts
     */
    public void release(Suspension reason, Duration maxWait) throws InterruptedException {
        if (lane == null) {
            return;
        }
        lane.suspend(reason);
        boolean finished = lane.awaitAttempts(maxWait);
        if (!saves.settle()) {
            drop(); // the outcome of the open transaction is unknown: the lease expires
            return;
        }
        if (!saveUnfinished(maxWait)) {
            drop();
            return;
        }
        if (finished) {
            // If the release is not answered, nothing starts until a save proves that the lease still holds.
            lane.renewed(clock.elapsed());
            store.release(lane.epoch(), lane.leaveRate().map(RateShare.Use::unused));
        } else {
            LOG.warn("Subscription {} stopped with messages in flight: they may be delivered again", id);
        }
        drop();
    }

    /**
     * Saves all changes, up to a time limit if the database refuses many of them. Messages whose change is not saved remain in the
     * gaps or in {@code outbox_retry} and are delivered again.
     *
     * @return false if the lane is lost
     */
    private boolean saveUnfinished(Duration maxWait) {
        long end = clock.nanos() + maxWait.toNanos();
        do {
            if (saves.save().isEmpty()) {
                return false;
            }
        } while (lane.isSavedInParts() && clock.nanos() - end < 0);
        if (lane.isSavedInParts()) {
            LOG.warn(
                    "Subscription {} stopped before all changes that the database refuses were examined: messages that are not"
                            + " saved may be delivered again",
                    id);
        }
        return true;
    }

    /** Calls {@link #release(Suspension, Duration)} with a limit of 5 s. */
    public void release(Suspension reason) {
        try {
            release(reason, Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
