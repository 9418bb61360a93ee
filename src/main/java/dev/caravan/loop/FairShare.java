package dev.caravan.loop;

import dev.caravan.clock.Clock;
import dev.caravan.store.LaneCountMismatch;
import dev.caravan.store.Sql;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * As many lanes of a subscription for this relay as for every other one that shares it. All relays show in a table that they are
 * there, and each computes its share from that table alone, so that they agree without talking: the lanes are dealt out evenly,
 * and what is left over goes to the first ones in an order drawn for the subscription. The shares add up to the number of lanes,
 * so nothing moves once everybody has its share. Two relays that see different tables for a moment hold too few or too many lanes
 * for that moment, never the same one: that is up to the leases.
 */
public final class FairShare implements LaneChoice {
    private static final Logger LOG = LoggerFactory.getLogger(FairShare.class);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);
    private static final Duration KEPT_FOR = Duration.ofMinutes(1);

    /**
     * What a look at the table showed.
     *
     * @param lanes how many lanes this relay should work
     * @param free lanes that nobody holds
     */
    private record View(int lanes, Set<Integer> free) {}

    private final JdbcTemplate jdbc;
    private final String subscription;
    private final int lanes;
    private final String relay;
    private final Duration lease;
    private final Clock clock;

    private final ReentrantLock looking = new ReentrantLock();
    private long nextLookAt;
    private long nextShowAt;
    private boolean left;

    private View view = new View(0, Set.of());
    private final TreeSet<Integer> held = new TreeSet<>();
    private long keptUntil;

    public FairShare(LoopSettings settings, JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        subscription = settings.subscription();
        lanes = settings.lanes();
        relay = settings.relay();
        lease = settings.lease();
        clock = settings.clock();
        nextLookAt = clock.nanos();
        nextShowAt = nextLookAt;
        keptUntil = nextLookAt;
    }

    @Override
    public boolean mayClaim(int lane) {
        lookIfDue();
        synchronized (this) {
            held.remove(lane);
            return view.free.contains(lane) && held.size() < view.lanes && held.add(lane);
        }
    }

    /** Those with the highest numbers, so that all threads pick the same ones. */
    @Override
    public boolean shouldHandOver(int lane) {
        lookIfDue();
        synchronized (this) {
            return clock.nanos() - keptUntil >= 0 && held.tailSet(lane).size() <= held.size() - view.lanes;
        }
    }

    @Override
    public synchronized void keep() {
        keptUntil = clock.nanos() + KEPT_FOR.toNanos();
    }

    /** One thread looks for all; the others go on with what was seen before. */
    private void lookIfDue() {
        if (!looking.tryLock()) {
            return;
        }
        try {
            if (!left && clock.nanos() - nextLookAt >= 0) {
                show();
                look();
                nextLookAt = clock.nanos() + LOOK_INTERVAL.toNanos();
            }
        } finally {
            looking.unlock();
        }
    }

    private void show() {
        if (clock.nanos() - nextShowAt >= 0) {
            jdbc.update(
                    Sql.SHOW_RELAY.text(),
                    subscription,
                    relay,
                    subscription,
                    relay,
                    subscription,
                    relay,
                    lanes,
                    lease.toMillis(),
                    lease.toMillis());
            nextShowAt = clock.nanos() + lease.toNanos() * 3 / 10;
        }
    }

    private void look() {
        View seen = jdbc.queryForObject(
                Sql.FAIR_SHARE.text(),
                (row, n) -> {
                    int inTable = row.getInt(1);
                    if (row.wasNull()) {
                        return view(
                                row.getInt(2),
                                row.getInt(3),
                                Stream.iterate(0, lane -> lane + 1).limit(lanes));
                    }
                    LaneCountMismatch.throwIfOther(subscription, lanes, inTable);
                    return view(row.getInt(2), row.getInt(3), Stream.of((Integer[])
                            row.getArray(4).getArray()));
                },
                subscription,
                lanes,
                relay,
                relay,
                subscription);
        synchronized (this) {
            if (seen.lanes != view.lanes) {
                LOG.info(
                        "Subscription {}: the fair share of this relay is {} of {} lanes",
                        subscription,
                        seen.lanes,
                        lanes);
            }
            view = seen;
        }
    }

    private View view(int relays, int before, Stream<Integer> free) {
        int evenly = lanes / Math.max(relays, 1);
        int leftOver = lanes % Math.max(relays, 1);
        return new View(evenly + (before < leftOver ? 1 : 0), free.collect(Collectors.toSet()));
    }

    /** This relay does not count any more, until {@link #join()}. If the database does not answer, only after a while. */
    public void leave() {
        looking.lock();
        try {
            left = true;
            jdbc.update(Sql.LEAVE_RELAYS.text(), subscription, relay);
        } catch (DataAccessException e) {
            LOG.debug(
                    "Could not leave the relays that share {}; this one is forgotten after its lease", subscription, e);
        } finally {
            looking.unlock();
        }
    }

    public void join() {
        looking.lock();
        try {
            left = false;
            nextLookAt = clock.nanos();
            nextShowAt = nextLookAt;
        } finally {
            looking.unlock();
        }
    }
}
