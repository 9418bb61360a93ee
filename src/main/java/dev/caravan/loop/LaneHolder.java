package dev.caravan.loop;

import dev.caravan.clock.Clock;
import dev.caravan.delivery.Key;
import dev.caravan.lane.Change;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneCounters;
import dev.caravan.lane.LaneOptions;
import dev.caravan.lane.LaneReport;
import dev.caravan.lane.LaneStart;
import dev.caravan.lane.Suspension;
import dev.caravan.selection.TypePatterns;
import dev.caravan.store.Horizon;
import dev.caravan.store.LaneConnections;
import dev.caravan.store.LaneId;
import dev.caravan.store.NewSubscription;
import dev.caravan.store.OtherHistoryException;
import dev.caravan.store.SubscriptionStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.component.sql.SqlProcessingStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The lane that this relay works, if it holds the lease: takes it, saves its progress after each read ({@code onConsume}),
 * and gives it back. Used by one thread at a time.
 */
public final class LaneHolder implements SqlProcessingStrategy {
    private static final Logger LOG = LoggerFactory.getLogger(LaneHolder.class);
    /** Looking up the writers costs about as much as a read: not after each one. */
    private static final long WRITERS_INTERVAL_NANOS = 10_000_000L;

    private final LoopSettings settings;
    private final LaneConnections connections;
    private final Horizon horizon;
    private final SubscriptionStore store;
    private final RetryIntake retries;
    private final LaneId id;
    private final NewSubscription subscription;
    private final String[] types;
    private final Duration lease;
    private final Clock clock;
    private final LaneOptions options;
    private final LaneCounters counters;
    private final Consumer<Change.Dead> deadLetters;

    private boolean subscribed;
    private volatile Lane lane;
    private LaneSaves saves;

    private boolean draining;
    private long writersSeenAt;
    /** What stands in the database; null after a claim. */
    private LaneReport reported;

    /**
     * @param counters where what the lane does is counted
     * @param deadLetters is told of each dead letter after it was stored
     */
    public LaneHolder(
            LoopSettings settings,
            LaneId id,
            LaneConnections connections,
            Horizon horizon,
            LaneCounters counters,
            Consumer<Change.Dead> deadLetters) {
        this.settings = settings;
        lease = settings.lease();
        clock = settings.clock();
        writersSeenAt = clock.nanos();
        this.connections = connections;
        this.horizon = horizon;
        options = settings.lane();
        store = new SubscriptionStore(
                new JdbcTemplate(connections), id, settings.relay(), lease, options.deadLettersBlock(), clock);
        retries = new RetryIntake(store.retries(), options);
        this.id = id;
        subscription = new NewSubscription(store.rows(), settings.start(), clock);
        types = TypePatterns.like(settings.types());
        this.counters = counters;
        this.deadLetters = deadLetters;
    }

    /** The lane, or null while another relay holds the lease. */
    public Lane lane() {
        return lane;
    }

    /** Those of some keys whose fresh messages have to wait. */
    public Set<Key> waiting(Collection<Key> keys) {
        return retries.waiting(keys);
    }

    /** Whether the lane is to be given back as soon as nothing is on its way, because the number of lanes is being changed. */
    public boolean isDraining() {
        return draining;
    }

    /**
     * Takes the lease if it is free.
     *
     * @return whether this relay works the lane now
     */
    public boolean claim() {
        connections.forgetHistory();
        subscribed = subscribed || subscription.create();
        if (!subscribed) {
            return false;
        }
        long asked = clock.elapsed();
        Optional<SubscriptionStore.Claim> claim = store.claim(types);
        if (claim.isEmpty()) {
            return false;
        }
        SubscriptionStore.Claim taken = claim.get();
        if (taken.progress().position() > taken.lastId()) {
            store.halt(taken.lastId());
            store.release(taken.epoch());
            return false; // the next claim finds it halted
        }
        take(taken, asked);
        return true;
    }

    private void take(SubscriptionStore.Claim taken, long asked) {
        LaneStart from = new LaneStart(taken.epoch(), asked + lease.toNanos(), taken.progress(), taken.delivered());
        Lane claimed = new Lane(from, options, counters, clock);
        retries.survey(claimed);
        reported = null;
        claimed.readTo(taken.readTo());
        draining = false;
        saves = new LaneSaves(claimed, id, store, settings, counters, deadLetters);
        lane = claimed; // only now: a failed survey must lead to another claim, which starts the deliverers
        LOG.info(
                "Subscription {} is worked by this relay from position {} on, epoch {}",
                id,
                taken.progress().position(),
                taken.epoch());
    }

    @Override
    public int commit(
            DefaultSqlEndpoint endpoint, Exchange exchange, Object data, JdbcTemplate jdbcTemplate, String query) {
        settleAndSave();
        return 1;
    }

    @Override
    public int commitBatchComplete(DefaultSqlEndpoint endpoint, JdbcTemplate jdbcTemplate, String query) {
        return 0; // each batch is one commit
    }

    /** Does what is due: settles missing ids, saves progress, renews the lease. */
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
        store.update(horizon);
    }

    /** An idle lane has nothing new to tell. */
    private void report() {
        LaneReport report = lane.report();
        if (!report.equals(reported)) {
            reported = null; // until it is known to be written
            store.report(lane.epoch(), report);
            reported = report;
        }
    }

    /** Takes in what may be tried again, or follow something that was. */
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
            lane.resume(Suspension.PAUSE); // taken back before the lane could be given back
        }
    }

    private void drainIf(boolean told) {
        if (told && !draining) {
            LOG.info("Subscription {} gets another number of lanes: this relay finishes what is on its way", id);
        }
        draining = told;
    }

    /**
     * Drops the lane if its database was replaced by one with another history: what it knows may not be true there, so its
     * progress is read anew when its lease has ended.
     *
     * @return whether that was the cause of the failure
     */
    public boolean dropIfOtherHistory(Throwable failure) {
        Optional<OtherHistoryException> other = OtherHistoryException.in(failure);
        if (lane == null || other.isEmpty()) {
            return false;
        }
        LOG.warn(
                "Subscription {} stops here: {}. A replica was promoted or a backup restored. Progress is read anew when the"
                        + " lease has ended; what was delivered since it was saved there is delivered again",
                id,
                other.get().getMessage());
        counters.lostLease();
        drop();
        return true;
    }

    /** Drops the lane without a word to the database: its lease is over or will end by itself. */
    public void drop() {
        if (lane != null) {
            lane.close();
            lane = null;
            saves = null;
        }
    }

    /**
     * Saves and gives the lease back, so that another relay takes over at once. If something is still on its way the lease
     * is left to end by itself: until then nobody starts a later message of the same key. When this throws, the lane is
     * still held and suspended: to be called again, or the suspension to be taken back.
     *
     * @param patience how long to wait for what is on its way, and how long to save in parts
     */
    public void release(Suspension reason, Duration patience) throws InterruptedException {
        if (lane == null) {
            return;
        }
        lane.suspend(reason);
        boolean quiet = lane.awaitAttempts(patience);
        if (!saves.settle()) {
            drop(); // what the open transaction does is not known: the lease ends by itself
            return;
        }
        if (!saveUnfinished(patience)) {
            drop();
            return;
        }
        if (quiet) {
            // Even if the release is not answered: nothing starts until a save has shown that the lease still holds.
            lane.renewed(clock.elapsed());
            store.release(lane.epoch());
        } else {
            LOG.warn("Subscription {} stopped while messages were on their way: they may be delivered again", id);
        }
        drop();
    }

    /**
     * Saves all that is left, at most for a time if the database refuses much of it: what is not saved then stands in the gaps, or in
     * {@code outbox_retry}, and is delivered again.
     *
     * @return false if the lane is lost
     */
    private boolean saveUnfinished(Duration patience) {
        long end = clock.nanos() + patience.toNanos();
        do {
            if (saves.save().isEmpty()) {
                return false;
            }
        } while (lane.isSavedInParts() && clock.nanos() - end < 0);
        if (lane.isSavedInParts()) {
            LOG.warn(
                    "Subscription {} stopped before all that the database refuses was examined: messages that are not saved"
                            + " may be delivered again",
                    id);
        }
        return true;
    }

    /** Does {@link #release(Suspension, Duration)} with a few seconds of patience. */
    public void release(Suspension reason) {
        try {
            release(reason, Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
