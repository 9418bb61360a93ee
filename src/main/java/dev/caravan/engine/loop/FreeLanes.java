package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.store.LaneConnections;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Finds which lanes of its subscriptions this relay could claim now, with one statement for all, and registers this relay with the others that
 * share a subscription. The first thread that finds it due does it for all; the others use the last answer, and never wait. The answer only
 * says which lanes are worth a claim: the claim decides. Observes the ends of the sessions of other relays. Thread-safe.
 */
public final class FreeLanes {
    private static final Logger LOG = LoggerFactory.getLogger(FreeLanes.class);
    private static final Duration INTERVAL = Duration.ofMillis(200);
    /** Longer than a statement takes on a busy machine, and not longer than a lease. */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

    /**
     * What was found about a subscription.
     *
     * @param lanes its number of lanes; empty if it does not exist
     * @param halted why it is halted; empty if it is not
     * @param free the lanes that can be claimed
     * @param relays the number of relays that share it; 0 if they do not share it
     * @param before the number of relays that get one of the remaining lanes before this one
     */
    record Found(Optional<Integer> lanes, Optional<String> halted, Set<Integer> free, int relays, int before) {}

    /** A subscription of this relay. */
    interface Subscription {
        String name();

        /** The number of lanes in its route. */
        int lanes();

        /** Whether its state in the database matters now. */
        boolean isAsking();

        void found(Found found);
    }

    private final LaneConnections connections;
    private final JdbcTemplate jdbc;
    private final Presence presence;
    private final String relay;
    private final Duration lease;
    private final Clock clock;

    /** By subscription, in the order in which rows are locked. */
    private final Map<String, Subscription> subscriptions = new ConcurrentSkipListMap<>();

    private final ReentrantLock finding = new ReentrantLock();
    private volatile long nextAt;
    private volatile long answeredAt;

    /** The subscriptions of the last registration, and the session that it showed. */
    private Set<String> shown = Set.of();

    private ProvenSession shownSession = ProvenSession.NONE;
    private long nextRegistrationAt;

    /**
     * @param connections used by this object alone
     * @param relay the name of this relay
     * @param lease how long a registration lasts
     */
    public FreeLanes(LaneConnections connections, Presence presence, String relay, Duration lease, Clock clock) {
        this.connections = connections;
        jdbc = new JdbcTemplate(connections);
        this.presence = presence;
        this.relay = relay;
        this.lease = lease;
        this.clock = clock;
        nextAt = clock.nanos();
        answeredAt = nextAt;
    }

    /** Finds the free lanes of a subscription too; no effect if it does so. */
    void add(Subscription subscription) {
        subscriptions.put(subscription.name(), subscription);
    }

    void remove(Subscription subscription) {
        subscriptions.remove(subscription.name(), subscription);
    }

    /** The time until the next statement is due. */
    Duration untilNext() {
        long left = nextAt - clock.nanos();
        return left > 0 ? Duration.ofNanos(left) : INTERVAL; // another thread executes it
    }

    /** Makes the next statement due. */
    void hurry() {
        nextAt = clock.nanos();
    }

    /** Whether no statement was answered for so long that lanes should not wait for an answer. */
    boolean isSilent() {
        return clock.nanos() - answeredAt >= LONGEST_SILENCE.toNanos();
    }

    /** Finds the free lanes of all subscriptions, if that is due and no other thread does so. */
    void findIfDue() {
        if (clock.nanos() - nextAt < 0 || !finding.tryLock()) {
            return;
        }
        try {
            if (clock.nanos() - nextAt >= 0) {
                nextAt = clock.nanos() + INTERVAL.toNanos(); // also if it fails
                List<Subscription> asking = subscriptions.values().stream()
                        .filter(Subscription::isAsking)
                        .toList();
                register(asking.stream()
                        .filter(subscription -> subscription.lanes() > 1)
                        .toList());
                find(asking);
                answeredAt = clock.nanos();
                nextAt = answeredAt + presence.untilNextEnded(INTERVAL).toNanos();
            }
        } finally {
            finding.unlock();
        }
    }

    private void register(List<Subscription> sharing) {
        ProvenSession session = presence.get();
        Set<String> names = Set.of(names(sharing));
        boolean isShown = session == shownSession && shown.containsAll(names);
        if (sharing.isEmpty() || isShown && clock.nanos() - nextRegistrationAt < 0) {
            return;
        }
        about("engine/show_relay", sharing)
                .with("relay", relay)
                .with("lease_millis", lease.toMillis())
                .with("session", session.key())
                .update(jdbc);
        shown = names;
        shownSession = session;
        nextRegistrationAt = clock.nanos() + lease.toNanos() * 3 / 10;
    }

    private void find(List<Subscription> asking) {
        if (asking.isEmpty()) {
            return;
        }
        Map<String, Found> found = new HashMap<>();
        about("engine/free_lanes", asking)
                .with("relay", relay)
                .with("ended_sessions", presence.endedSessions())
                .query(jdbc, row -> found.put(row.getString(1), found(row)));
        asking.forEach(subscription -> subscription.found(found.get(subscription.name())));
    }

    /** A statement for some subscriptions, on a connection of any history. */
    private Sql about(String file, List<Subscription> some) {
        connections.forgetHistory();
        return Sql.file(file)
                .with("subscriptions", names(some))
                .with("lanes", some.stream().mapToInt(Subscription::lanes).toArray());
    }

    private static String[] names(List<Subscription> some) {
        return some.stream().map(Subscription::name).toArray(String[]::new);
    }

    private Found found(ResultSet row) throws SQLException {
        Long[] ended = (Long[]) row.getArray(5).getArray();
        Long[] servers = (Long[]) row.getArray(6).getArray();
        for (int i = 0; i < ended.length; i++) {
            if (connections.haveHistory(servers[i])) { // another server lacks its locks
                presence.observedEnd(ended[i]);
            }
        }
        return new Found(
                Optional.ofNullable(row.getObject(2, Integer.class)),
                Optional.ofNullable(row.getString(3)),
                Set.of((Integer[]) row.getArray(4).getArray()),
                row.getInt(7),
                row.getInt(8));
    }

    /** Removes the registration of this relay. If the database does not answer, it expires with the lease. */
    void unregister(Subscription subscription) {
        finding.lock(); // a registration that is under way would outlast this
        try {
            connections.forgetHistory();
            shown = Set.of();
            Sql.file("engine/leave_relays")
                    .with("subscription", subscription.name())
                    .with("relay", relay)
                    .update(jdbc);
        } catch (DataAccessException e) {
            LOG.debug(
                    "Could not remove the registration of this relay for {}; it expires after the duration of a lease",
                    subscription.name(),
                    e);
        } finally {
            finding.unlock();
        }
    }
}
