package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Pauses;
import dev.caravan.base.text.Reason;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.store.Histories;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows that this relay is running, by a database session that ends with the process, and proves to its lanes that the session has
 * not ended. Without a session, only the leases of the lanes count. A separate thread holds the session. Thread-safe. See
 * docs/decisions/0013-presence-beside-the-lease.md.
 */
public final class Presence implements Supplier<ProvenSession> {
    private static final Logger LOG = LoggerFactory.getLogger(Presence.class);

    /** The interval of proofs while messages of a lane wait to start. */
    private static final Duration PROOF_INTERVAL = ProvenSession.VALIDITY.dividedBy(4);
    /** The interval of other proofs: only to detect that the session has ended without a word of the server. */
    private static final Duration IDLE_INTERVAL = Duration.ofSeconds(1);

    private static final Duration SHORTEST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    private final DataSource source;
    private final Histories histories;
    private final Clock clock;
    private final EndedSessions ended;
    private final LossLimit losses;
    private final Set<Lane> lanes = ConcurrentHashMap.newKeySet();
    private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();

    private volatile ProvenSession current = ProvenSession.NONE;
    private volatile boolean stopped;
    private Thread thread;
    private boolean proofIsRequested;
    private long requestedAt;
    private volatile String problem = "";
    private volatile boolean disabled;

    /**
     * @param source creates the connection; null for a relay without presence
     * @param histories the histories of the connections of the lanes
     */
    public Presence(DataSource source, Histories histories, Clock clock) {
        this.source = source;
        this.histories = histories;
        this.clock = clock;
        ended = new EndedSessions(clock);
        losses = new LossLimit(clock);
    }

    /** A relay without presence, which ignores that of others too. */
    public static Presence off(Clock clock) {
        return new Presence(null, new Histories(), clock);
    }

    /** Opens the session; no effect if it is open. Each lane calls it when it starts, because only lanes need the session. */
    public synchronized void start() {
        if (source != null && thread == null) {
            stopped = false;
            thread = new Thread(this::run, "outbox-presence");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Ends the session. */
    public void stop() throws InterruptedException {
        if (thread != null) {
            stopped = true;
            thread.interrupt();
            thread.join(STOP_LIMIT.toMillis());
            thread = null;
        }
    }

    /** The session of this relay now; {@link ProvenSession#NONE} without one. */
    @Override
    public ProvenSession get() {
        return current;
    }

    /** Whether this relay works without a session because it has lost too many, or because sessions are shared. */
    boolean isDisabled() {
        return disabled;
    }

    /** Why no session could be opened; empty if one is open, or the relay has not tried. */
    String problem() {
        return problem;
    }

    /** Adds a lane that this relay owns, and proves the session for it at once. */
    public void join(Lane lane) {
        lanes.add(lane);
        requestProof();
    }

    private synchronized void requestProof() {
        proofIsRequested = true;
        notifyAll();
    }

    /** Removes a lane. */
    public void leave(Lane lane) {
        lanes.remove(lane);
    }

    /** Adds an action that runs at each change of the session, for example to make a lane save. It must return quickly. */
    public void listen(Runnable listener) {
        listeners.add(listener);
    }

    /** Records that the lock of the session of another relay was free, on the server of that session. */
    public void observedEnd(long key) {
        if (source != null) {
            ended.observed(key);
        }
    }

    /** The keys of sessions of other relays that have ended, and of which no proof is valid. */
    public Long[] endedSessions() {
        return ended.withoutProof();
    }

    /** The time until {@link #endedSessions()} has one more, within a limit. */
    public Duration untilNextEnded(Duration limit) {
        return ended.untilNext(limit);
    }

    private void run() {
        Duration backoff = SHORTEST_BACKOFF;
        try {
            while (!stopped) {
                try (PresenceConnection connection =
                        new PresenceConnection(source, histories, clock, this::requestProof)) {
                    backoff = SHORTEST_BACKOFF;
                    beginAndProve(connection);
                } catch (PresenceConnection.Pooled e) {
                    LOG.warn(
                            "This relay works without presence, because {}: after a crash its lanes are taken over when"
                                    + " their leases end",
                            e.getMessage());
                    disabled = true;
                    return;
                } catch (SQLException | RuntimeException e) {
                    failed(Reason.of(e));
                    Thread.sleep(backoff.toMillis());
                    backoff = Pauses.doubled(backoff, LONGEST_BACKOFF);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the relay stops
        }
    }

    private void failed(String text) {
        if (!text.equals(problem)) {
            problem = text;
            LOG.warn(
                    "Could not open the session that shows that this relay is running: {}. Until that succeeds, its lanes are"
                            + " taken over after a crash when their leases end",
                    text);
        }
    }

    /** Returns when the session has ended. */
    private void beginAndProve(PresenceConnection connection) throws InterruptedException {
        try {
            prove(connection);
            changeTo(connection.session());
            problem = "";
            while (true) {
                awaitNextProof(connection);
                prove(connection);
            }
        } catch (SQLException | RuntimeException e) {
            connection.session().ended(clock.elapsed());
            connection.close();
            changeTo(ProvenSession.NONE);
            LOG.info(
                    "The session that shows that this relay is running has ended ({}); a new one is opened",
                    Reason.of(e));
            if (losses.lost()) {
                pause();
            }
        } finally {
            connection.session().ended(clock.elapsed());
            current = ProvenSession.NONE;
        }
    }

    private void pause() throws InterruptedException {
        LOG.warn(
                "The session that shows that this relay is running has ended {} times in {} s. This relay works without presence"
                        + " for {} min: after a crash its lanes are taken over when their leases end",
                LossLimit.LOSSES,
                LossLimit.PERIOD.toSeconds(),
                LossLimit.PAUSE.toMinutes());
        disabled = true;
        Thread.sleep(LossLimit.PAUSE.toMillis());
        disabled = false;
    }

    private void changeTo(ProvenSession session) {
        current = session;
        listeners.forEach(Runnable::run);
    }

    private void prove(PresenceConnection connection) throws SQLException {
        synchronized (this) {
            proofIsRequested = false;
            requestedAt = clock.nanos();
        }
        long previousProofEnded = connection.prove();
        if (clock.elapsed() - previousProofEnded >= 0) { // otherwise no lane waits
            lanes.forEach(Lane::proven);
        }
    }

    /** Meanwhile notices that the server has ended the session, as soon as a proof would: another relay may claim the lanes soon. */
    private void awaitNextProof(PresenceConnection connection) throws SQLException, InterruptedException {
        while (!awaitProof(connection.session())) {
            connection.requireNotEnded();
        }
    }

    /** Waits for a part of the time until the next proof is due; returns whether it is. */
    private synchronized boolean awaitProof(ProvenSession session) throws InterruptedException {
        long left = untilNextProof(session);
        if (left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, PROOF_INTERVAL.toNanos()));
            left = untilNextProof(session);
        }
        return left <= 0;
    }

    /** The interval begins with the request, because a proof is valid from its request on. */
    private long untilNextProof(ProvenSession session) {
        if (proofIsRequested) {
            return 0;
        }
        Duration interval = session.isNeeded(clock.elapsed()) ? PROOF_INTERVAL : IDLE_INTERVAL;
        return requestedAt + interval.toNanos() - clock.nanos();
    }
}
