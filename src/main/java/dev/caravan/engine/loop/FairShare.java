package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.store.LaneCountMismatch;
import java.sql.ResultSet;
import java.sql.SQLException;
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
 * Distributes the lanes of a subscription evenly among the relays that share it. Every relay registers in a table and
 * computes its share from that table alone, so the relays need no other communication. The remainder of the division goes to the
 * first relays in an order that is specific to the subscription. The shares add up to the number of lanes, so no lane moves once
 * every relay has its share. Relays that see different states of the table may own too few or too many lanes for a moment, but
 * never the same lane: the leases prevent that. Thread-safe.
 */
public final class FairShare implements LaneChoice {
    private static final Logger LOG = LoggerFactory.getLogger(FairShare.class);
    private static final Duration REFRESH_INTERVAL = Duration.ofMillis(200);
    private static final Duration NO_HANDOVER_TIME = Duration.ofMinutes(1);

    /**
     * The state of the table at the last refresh.
     *
     * @param lanes the fair share of this relay
     * @param free lanes without an owner
     */
    private record View(int lanes, Set<Integer> free) {}

    private final JdbcTemplate jdbc;
    private final String subscription;
    private final int lanes;
    private final String relay;
    private final Duration lease;
    private final Clock clock;

    private final ReentrantLock refreshing = new ReentrantLock();
    private final Presence presence;
    private long nextRefreshAt;
    private long nextRegistrationAt;
    private boolean hasLeft;
    /** The session of the last registration. */
    private ProvenSession registered = ProvenSession.NONE;

    private View view = new View(0, Set.of());
    private final TreeSet<Integer> held = new TreeSet<>();
    private long noHandoverUntil;

    public FairShare(LaneSettings settings, JdbcTemplate jdbc, Presence presence, Clock clock) {
        this.jdbc = jdbc;
        subscription = settings.subscription();
        lanes = settings.lanes();
        relay = settings.relay();
        lease = settings.lease();
        this.presence = presence;
        this.clock = clock;
        nextRefreshAt = clock.nanos();
        nextRegistrationAt = nextRefreshAt;
        noHandoverUntil = nextRefreshAt;
    }

    @Override
    public boolean mayClaim(int lane) {
        refreshIfDue();
        synchronized (this) {
            held.remove(lane);
            return view.free.contains(lane) && held.size() < view.lanes && held.add(lane);
        }
    }

    @Override
    public synchronized void notClaimed(int lane) {
        held.remove(lane);
    }

    /** Selects the lanes with the highest numbers, so that all threads select the same ones. */
    @Override
    public boolean shouldHandOver(int lane) {
        refreshIfDue();
        synchronized (this) {
            return clock.nanos() - noHandoverUntil >= 0 && held.tailSet(lane).size() <= held.size() - view.lanes;
        }
    }

    @Override
    public synchronized void postponeHandovers() {
        noHandoverUntil = clock.nanos() + NO_HANDOVER_TIME.toNanos();
    }

    /** Refreshes the view if it is due and no other thread does so; the other threads use the previous view. */
    private void refreshIfDue() {
        if (!refreshing.tryLock()) {
            return;
        }
        try {
            if (!hasLeft && clock.nanos() - nextRefreshAt >= 0) {
                register();
                refresh();
                nextRefreshAt = clock.nanos() + REFRESH_INTERVAL.toNanos();
            }
        } finally {
            refreshing.unlock();
        }
    }

    private void register() {
        ProvenSession session = presence.get();
        if (session != registered || clock.nanos() - nextRegistrationAt >= 0) {
            Sql.file("engine/show_relay")
                    .with("subscription", subscription)
                    .with("relay", relay)
                    .with("lanes", lanes)
                    .with("lease_millis", lease.toMillis())
                    .with("session", session.key())
                    .update(jdbc);
            registered = session;
            nextRegistrationAt = clock.nanos() + lease.toNanos() * 3 / 10;
        }
    }

    private void refresh() {
        View seen = Sql.file("engine/fair_share")
                .with("subscription", subscription)
                .with("lanes", lanes)
                .with("relay", relay)
                .first(jdbc, this::view)
                .orElseThrow();
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

    private View view(ResultSet row) throws SQLException {
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
    }

    private View view(int relays, int before, Stream<Integer> free) {
        int share = lanes / Math.max(relays, 1);
        int remainder = lanes % Math.max(relays, 1);
        return new View(share + (before < remainder ? 1 : 0), free.collect(Collectors.toSet()));
    }

    /** Removes the registration of this relay until {@link #join()}. If the database does not answer, it expires with the lease. */
    public void leave() {
        refreshing.lock();
        try {
            hasLeft = true;
            Sql.file("engine/leave_relays")
                    .with("subscription", subscription)
                    .with("relay", relay)
                    .update(jdbc);
        } catch (DataAccessException e) {
            LOG.debug(
                    "Could not remove the registration of this relay for {}; it expires after the duration of a lease",
                    subscription,
                    e);
        } finally {
            refreshing.unlock();
        }
    }

    /** Registers this relay again. */
    public void join() {
        refreshing.lock();
        try {
            hasLeft = false;
            nextRefreshAt = clock.nanos();
            nextRegistrationAt = nextRefreshAt;
        } finally {
            refreshing.unlock();
        }
    }
}
