package dev.caravan.component;

import dev.caravan.delivery.Backoff;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneOptions;
import dev.caravan.lane.SavedProgress;
import java.time.Duration;
import java.util.Optional;
import org.apache.camel.Exchange;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.component.sql.SqlProcessingStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The lane that this relay works, if it holds the lease: takes it, saves its progress after each read ({@code onConsume}),
 * and gives it back. Used by one thread at a time.
 */
final class LaneHolder implements SqlProcessingStrategy {
    private static final Logger LOG = LoggerFactory.getLogger(LaneHolder.class);
    /** Looking up the writers costs about as much as a read: not after each one. */
    private static final long WRITERS_INTERVAL_NANOS = 10_000_000L;

    private final SubscriptionStore store;
    private final String subscription;
    private final Start start;
    private final Duration lease;
    private final LaneOptions options;
    private final Backoff backoff;

    private boolean subscribed;
    private volatile Lane lane;
    private long writersSeenAt = System.nanoTime();

    LaneHolder(OutboxEndpoint endpoint, JdbcTemplate jdbc) {
        lease = Duration.ofMillis(endpoint.getComponent().getLeaseDuration());
        store = new SubscriptionStore(
                jdbc, endpoint.getName(), endpoint.getComponent().getRelay(), lease);
        subscription = endpoint.getName();
        start = Start.parse(endpoint.getStart());
        options = endpoint.laneOptions();
        backoff = endpoint.retryBackoff();
    }

    /** The lane, or null while another relay holds the lease. */
    Lane lane() {
        return lane;
    }

    /**
     * Takes the lease if it is free.
     *
     * @return whether this relay works the lane now
     */
    boolean claim() {
        if (!subscribed) {
            store.subscribe(start);
            subscribed = true;
        }
        long asked = System.nanoTime();
        Optional<SubscriptionStore.Claim> claim = store.claim();
        claim.ifPresent(taken -> {
            refuseIfBehind(taken.progress().position(), taken.lastId(), taken.epoch());
            lane = new Lane(
                    taken.epoch(), asked + lease.toNanos(), taken.progress(), options, backoff, System::nanoTime);
            LOG.info(
                    "Subscription {} is worked by this relay from position {} on, epoch {}",
                    subscription,
                    taken.progress().position(),
                    taken.epoch());
        });
        return claim.isPresent();
    }

    private void refuseIfBehind(long position, long lastId, long epoch) {
        if (position > lastId) {
            lose();
            store.release(epoch);
            throw new IllegalStateException("Subscription " + subscription + " stands at position " + position
                    + ", but the outbox has given out ids only up to " + lastId
                    + ": it was restored or truncated, and new messages would be skipped. Nothing is delivered. Set the"
                    + " sequence after the position (select setval('outbox_id_seq', " + position
                    + ")), or the position to the last id that was delivered (update outbox_subscription set position = ...,"
                    + " gaps = '{}' where name = '" + subscription + "')");
        }
    }

    @Override
    public int commit(
            DefaultSqlEndpoint endpoint, Exchange exchange, Object data, JdbcTemplate jdbcTemplate, String query) {
        acknowledge();
        return 1;
    }

    @Override
    public int commitBatchComplete(DefaultSqlEndpoint endpoint, JdbcTemplate jdbcTemplate, String query) {
        return 0; // each batch is one commit
    }

    /** Does what is due: settles missing ids, saves progress, renews the lease. */
    void acknowledge() {
        if (lane.needsWriters() && System.nanoTime() - writersSeenAt >= WRITERS_INTERVAL_NANOS) {
            lane.observed(store.writers());
            writersSeenAt = System.nanoTime();
        }
        if (lane.saveIsDue()) {
            save();
        }
    }

    private void save() {
        SavedProgress progress = lane.toSave();
        long asked = System.nanoTime();
        Optional<SubscriptionStore.Saved> saved;
        try {
            saved = store.save(lane.epoch(), progress);
        } catch (DataAccessException e) {
            lane.saveFailed();
            throw e;
        }
        if (saved.isEmpty()) {
            LOG.warn(
                    "Subscription {} was taken over by another relay (epoch {} is over): this relay stops working it. What was"
                            + " delivered since its last save may be delivered again by the other one",
                    subscription,
                    lane.epoch());
            lose();
            return;
        }
        lane.renewed(asked + lease.toNanos());
        refuseIfBehind(progress.position(), saved.get().lastId(), lane.epoch());
        if (saved.get().paused()) {
            LOG.info("Subscription {} is paused", subscription);
            release();
        }
    }

    /** Drops the lane without a word to the database: its lease is over or will end by itself. */
    void lose() {
        if (lane != null) {
            lane.close();
            lane = null;
        }
    }

    /**
     * Saves and gives the lease back, so that another relay takes over at once. If something is still on its way the lease
     * is left to end by itself: until then nobody starts a later message of the same key.
     *
     * @param patience how long to wait for what is on its way
     */
    void release(Duration patience) throws InterruptedException {
        if (lane == null) {
            return;
        }
        lane.suspend();
        boolean quiet = lane.awaitNothingOnItsWay(patience);
        boolean held = store.save(lane.epoch(), lane.toSave()).isPresent();
        if (held && quiet) {
            store.release(lane.epoch());
        } else if (held) {
            LOG.warn(
                    "Subscription {} stopped while messages were on their way: they may be delivered again",
                    subscription);
        }
        lose();
    }

    private void release() {
        try {
            release(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
