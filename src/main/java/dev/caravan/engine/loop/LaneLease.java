package dev.caravan.engine.loop;

import dev.caravan.base.message.TypePatterns;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneCounters.Count;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.LaneStart;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.RateLimit;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.NewSubscription;
import dev.caravan.engine.store.OtherHistoryException;
import dev.caravan.engine.store.SequenceRestartedException;
import dev.caravan.engine.store.SubscriptionStore;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of a lane. Requests it, after it has created the subscription; holds the lane while this relay owns it; and ends both. Only
 * {@link #lane} may be called by any thread, the rest by one at a time.
 */
final class LaneLease {
    private static final Logger LOG = LoggerFactory.getLogger(LaneLease.class);

    private final LaneSettings settings;
    private final LaneId id;
    private final LaneConnections connections;
    private final SubscriptionStore store;
    private final RelayParts relay;
    private final Optional<RateLimit> rate;
    private final LaneCounters counters;
    private final NewSubscription subscription;
    private final String[] types;

    private boolean subscribed;
    private volatile Lane lane;

    LaneLease(
            LaneSettings settings,
            LaneConnections connections,
            SubscriptionStore store,
            RelayParts relay,
            Optional<RateLimit> rate,
            LaneCounters counters) {
        this.settings = settings;
        id = store.lane();
        this.connections = connections;
        this.store = store;
        this.relay = relay;
        this.rate = rate;
        this.counters = counters;
        subscription = new NewSubscription(store.rows(), settings.start(), relay.clock());
        types = TypePatterns.like(settings.types());
    }

    /** The lane, or null while this relay does not own it. */
    Lane lane() {
        return lane;
    }

    /** Requests the lease; returns whether this relay owns the lane now. */
    boolean claim() {
        if (!subscription.isWaiting()) {
            connections.forgetHistory();
        }
        subscribed = subscribed || subscription.create();
        if (!subscribed) {
            return false;
        }
        ProvenSession session = relay.presence().get();
        long requestedAt = relay.clock().elapsed();
        Optional<SubscriptionStore.Claim> claim =
                store.claim(types, session, relay.presence().endedSessions());
        if (claim.isEmpty()) {
            subscribed = !connections.isOtherHistory(); // a promoted replica may lack the subscription
            return false;
        }
        SubscriptionStore.Claim taken = claim.get();
        try {
            store.requireSame(taken.sequence(), taken.progress().position());
        } catch (SequenceRestartedException e) {
            store.rows().halt(e.found());
            store.release(taken.epoch());
            return false; // the next claim finds it halted
        }
        Lane claimed = surveyed(taken, requestedAt, session);
        relay.presence().join(claimed);
        lane = claimed;
        return true;
    }

    private Lane surveyed(SubscriptionStore.Claim taken, long requestedAt, ProvenSession session) {
        LaneStart from = new LaneStart(
                taken.epoch(), requestedAt + settings.lease().toNanos(), taken.progress(), taken.delivered(), session);
        RateShare share = rate.map(limit -> limit.join(taken.unused())).orElse(RateShare.UNLIMITED);
        Lane claimed = new Lane(from, settings, counters, relay.clock(), relay.presence(), share);
        try {
            claimed.surveyed(store.retries().survey(settings.order()));
        } catch (RuntimeException e) {
            claimed.close();
            throw e;
        }
        claimed.readTo(taken.readTo());
        LOG.info(
                "Subscription {} is owned by this relay from position {} on, epoch {}",
                id,
                taken.progress().position(),
                taken.epoch());
        return claimed;
    }

    /** Drops the lane because its row does not have the epoch of this relay, or not its last save. */
    void lost() {
        LOG.warn(
                "Subscription {} was taken over by another relay, or its row was restored (epoch {} has ended): this"
                        + " relay stops working it. Messages delivered since its last save may be delivered again",
                id,
                lane.epoch());
        counters.add(Count.LEASES_LOST);
        drop();
    }

    /**
     * Halts the subscription if the sequence does not continue after its row, and drops the lane, whose state is no longer valid. If this
     * method throws, the lane is still owned, unless it is closed.
     */
    void halt(SequenceRestartedException restarted) {
        store.rows().halt(restarted.found());
        LOG.warn(
                "Subscription {} stops on this relay: {}. The outbox was restored or truncated",
                id,
                restarted.getMessage());
        lane.close();
        release();
    }

    /**
     * Drops the lane if the database was replaced by one with another history, where the state in memory may be wrong. The lane
     * is claimed again, with the progress of the new database, when its lease has expired.
     *
     * @return whether that was the cause of the failure
     */
    boolean dropIfOtherHistory(Throwable failure) {
        Optional<OtherHistoryException> other = OtherHistoryException.in(failure);
        if (lane == null || other.isEmpty()) {
            return false;
        }
        LOG.warn(
                "Subscription {} stops on this relay: {}. A replica was promoted or a backup restored. The lane is"
                        + " claimed again when its lease has expired; messages delivered since the save found there are"
                        + " delivered again",
                id,
                other.get().getMessage());
        counters.add(Count.LEASES_LOST);
        drop();
        return true;
    }

    /** Releases the lease, so that another relay can claim the lane at once. If this method throws, the lane is still owned. */
    void release() {
        store.release(lane.epoch(), lane.leaveRate().map(RateShare.Use::unused));
        drop();
    }

    /** Drops the lane without releasing the lease, which has expired or will expire. */
    void drop() {
        if (lane != null) {
            lane.close();
            relay.tail().tail().leave(lane);
            relay.presence().leave(lane);
            lane = null;
        }
    }
}
