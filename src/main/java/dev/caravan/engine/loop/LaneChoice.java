package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.store.HaltedException;
import dev.caravan.engine.store.LaneCountMismatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which lanes of a subscription this relay owns. Several lanes are distributed evenly among the relays that share the subscription:
 * each computes its share from the table in which all are registered, so the relays need no other communication. The remainder of the
 * division goes to the first relays in an order that is specific to the subscription. The shares add up to the number of lanes, so no lane
 * moves once every relay has its share. Relays that see different states of the table may own too few or too many lanes for a moment, but
 * never the same lane: the leases prevent that. Thread-safe: called by the threads of all lanes.
 */
public final class LaneChoice implements FreeLanes.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(LaneChoice.class);
    private static final Duration NO_HANDOVER_TIME = Duration.ofMinutes(1);

    private final String subscription;
    private final int lanes;
    private final FreeLanes freeLanes;
    private final Clock clock;

    /** The lanes that take turns. */
    private final Set<Integer> working = new HashSet<>();
    /** The lanes that this relay owns or is claiming. */
    private final TreeSet<Integer> held = new TreeSet<>();
    /** The lanes that are worth a claim. */
    private final Set<Integer> free = new HashSet<>();
    /** Starts a turn of each lane that waits to become free. */
    private final Map<Integer, Runnable> waiting = new HashMap<>();

    private int share;
    private int lanesInTable;
    private Optional<String> halted = Optional.empty();
    private boolean hasLeft;
    private long noHandoverUntil;

    /** @param lanes the number of lanes in the route */
    public LaneChoice(String subscription, int lanes, FreeLanes freeLanes, Clock clock) {
        this.subscription = subscription;
        this.lanes = lanes;
        this.freeLanes = freeLanes;
        this.clock = clock;
        share = lanes == 1 ? 1 : 0; // until it is known
        lanesInTable = lanes;
        noHandoverUntil = clock.nanos();
    }

    @Override
    public String name() {
        return subscription;
    }

    @Override
    public int lanes() {
        return lanes;
    }

    /** Not while this relay owns the only lane. */
    @Override
    public synchronized boolean isAsking() {
        return !hasLeft && !working.isEmpty() && (lanes > 1 || held.isEmpty());
    }

    /**
     * Whether this relay may claim a lane that it does not own. After a start, or the loss of the lane, it may at once, then each time the
     * lane is found free.
     *
     * @param wake starts a turn of the lane when it becomes free; it must return quickly
     * @throws LaneCountMismatch if the subscription has another number of lanes
     * @throws HaltedException if the subscription is halted
     */
    boolean mayClaim(int lane, Runnable wake) {
        freeLanes.add(this);
        synchronized (this) {
            if (working.add(lane) | held.remove(lane)) {
                free.add(lane);
            }
            if (take(lane)) {
                return true;
            }
        }
        freeLanes.findIfDue();
        synchronized (this) {
            if (freeLanes.isSilent()) {
                free.add(lane);
            } else {
                LaneCountMismatch.throwIfOther(subscription, lanes, lanesInTable);
                HaltedException.throwIfHalted(subscription, halted.orElse(null));
            }
            if (take(lane)) {
                return true;
            }
            waiting.put(lane, wake);
            return false;
        }
    }

    private boolean take(int lane) {
        if (hasLeft || held.size() >= share || !free.remove(lane)) {
            return false;
        }
        waiting.remove(lane);
        lanesInTable = lanes; // the claim finds out what is true now
        halted = Optional.empty();
        return held.add(lane);
    }

    /** Reports that a lane that this relay may claim could not be claimed, so that it can claim another one meanwhile. */
    synchronized void notClaimed(int lane) {
        held.remove(lane);
    }

    /** Whether this relay should release a lane that it owns for another relay. Selects the highest numbers, so that all threads select the same. */
    boolean shouldHandOver(int lane) {
        if (lanes == 1) {
            return false;
        }
        freeLanes.add(this);
        synchronized (this) {
            working.add(lane);
        }
        freeLanes.findIfDue();
        synchronized (this) {
            return clock.nanos() - noHandoverUntil >= 0 && held.tailSet(lane).size() <= held.size() - share;
        }
    }

    /** Stops handovers for a while, because one has taken too long. */
    synchronized void postponeHandovers() {
        noHandoverUntil = clock.nanos() + NO_HANDOVER_TIME.toNanos();
    }

    /** A lane takes no more turns until it is requested again. */
    synchronized void stop(int lane) {
        working.remove(lane);
        waiting.remove(lane);
        if (working.isEmpty()) {
            freeLanes.remove(this);
        }
    }

    @Override
    public void found(FreeLanes.Found found) {
        List<Runnable> named = new ArrayList<>();
        synchronized (this) {
            lanesInTable = found.lanes().orElse(lanes);
            halted = found.halted();
            free.clear();
            if (lanesInTable != lanes) {
                return;
            }
            if (found.lanes().isPresent()) {
                free.addAll(found.free());
            } else {
                IntStream.range(0, lanes).forEach(free::add);
            }
            updateShare(found);
            if (held.size() < share) {
                free.stream().map(waiting::remove).filter(wake -> wake != null).forEach(named::add);
            }
        }
        named.forEach(Runnable::run);
    }

    private void updateShare(FreeLanes.Found found) {
        int relays = Math.max(found.relays(), 1);
        int now = lanes / relays + (found.before() < lanes % relays ? 1 : 0);
        if (now != share) {
            LOG.info("Subscription {}: the fair share of this relay is {} of {} lanes", subscription, now, lanes);
        }
        share = now;
    }

    /** Leaves all lanes to other relays until {@link #join()}. */
    public void leave() {
        synchronized (this) {
            hasLeft = true;
        }
        freeLanes.unregister(this);
    }

    /** Takes part in the distribution of the lanes again. */
    public void join() {
        synchronized (this) {
            hasLeft = false;
        }
        freeLanes.hurry();
    }
}
