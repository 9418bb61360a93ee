package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneStart;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.NewSubscription;
import dev.caravan.engine.store.SequenceRestartedException;
import dev.caravan.engine.store.SubscriptionStore;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Requests the lease of a lane, after it has created the subscription. Used by one thread at a time. */
final class LaneClaims {
    private static final Logger LOG = LoggerFactory.getLogger(LaneClaims.class);

    private final LoopSettings settings;
    private final LaneId id;
    private final LaneConnections connections;
    private final SubscriptionStore store;
    private final RetryIntake retries;
    private final LaneCounters counters;
    private final NewSubscription subscription;
    private final String[] types;
    private final Clock clock;
    private final Presence presence;

    private boolean subscribed;

    LaneClaims(
            LoopSettings settings,
            LaneId id,
            LaneConnections connections,
            SubscriptionStore store,
            RetryIntake retries,
            LaneCounters counters) {
        this.settings = settings;
        this.id = id;
        this.connections = connections;
        this.store = store;
        this.retries = retries;
        this.counters = counters;
        clock = settings.clock();
        presence = settings.presence();
        subscription = new NewSubscription(store.rows(), settings.start(), clock);
        types = TypePatterns.like(settings.types());
    }

    /** @return the lane, surveyed, if this relay holds the lease now; it is not added to the presence yet */
    Optional<Lane> claim() {
        if (!subscription.isWaiting()) {
            connections.forgetHistory();
        }
        subscribed = subscribed || subscription.create();
        if (!subscribed) {
            return Optional.empty();
        }
        ProvenSession session = presence.get();
        long requestedAt = clock.elapsed();
        Optional<SubscriptionStore.Claim> claim = store.claim(types, session, presence.endedSessions());
        if (claim.isEmpty()) {
            store.endedSession()
                    .filter(ended -> connections.haveHistory(ended.server())) // another server lacks its locks
                    .ifPresent(ended -> presence.observedEnd(ended.key()));
            subscribed = !connections.isOtherHistory(); // a promoted replica may lack the subscription
            return Optional.empty();
        }
        SubscriptionStore.Claim taken = claim.get();
        try {
            store.requireSame(taken.sequence(), taken.progress().position());
        } catch (SequenceRestartedException e) {
            store.rows().halt(e.found());
            store.release(taken.epoch(), Optional.empty());
            return Optional.empty(); // the next claim finds it halted
        }
        return Optional.of(lane(taken, requestedAt, session));
    }

    private Lane lane(SubscriptionStore.Claim taken, long requestedAt, ProvenSession session) {
        LaneStart from = new LaneStart(
                taken.epoch(), requestedAt + settings.lease().toNanos(), taken.progress(), taken.delivered(), session);
        RateShare rate =
                settings.rate().map(limit -> limit.join(taken.unused())).orElse(RateShare.UNLIMITED);
        Lane lane = new Lane(from, settings.lane(), counters, clock, presence, rate);
        try {
            retries.survey(lane);
        } catch (RuntimeException e) {
            lane.close();
            throw e;
        }
        lane.readTo(taken.readTo());
        LOG.info(
                "Subscription {} is owned by this relay from position {} on, epoch {}",
                id,
                taken.progress().position(),
                taken.epoch());
        return lane;
    }
}
