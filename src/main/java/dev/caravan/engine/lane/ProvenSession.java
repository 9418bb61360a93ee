package dev.caravan.engine.lane;

import java.time.Duration;

/**
 * A database session that shows that this relay is running. A relay whose row contains a session starts messages only while this
 * session is proven. Another relay that has observed the end of the session waits for longer than a proof is valid, and may then
 * claim the lane before its lease ends. See docs/decisions/0013-presence-beside-the-lease.md.
 */
public final class ProvenSession {
    /** How long a proof is valid. */
    public static final Duration VALIDITY = Duration.ofMillis(500);
    /** No session: only the lease counts. */
    public static final ProvenSession NONE = new ProvenSession(0, 0, 0);
    /** One of several sessions, it is not known which: no message starts. */
    static final ProvenSession UNKNOWN = new ProvenSession(0, 0, 0);

    /** While messages wait to start, the session is proven before the last proof ends; for so long after that, too. */
    private static final long NEEDED = Duration.ofSeconds(1).toNanos();
    /** Each message that starts would write the time otherwise. */
    private static final long PRECISION = Duration.ofMillis(50).toNanos();

    private final long key;
    private final long server;
    private final Runnable request;
    private volatile long provenUntil;
    /** When messages last waited to start. */
    private volatile long neededAt;

    /**
     * A session that is not proven yet.
     *
     * @param key key of the advisory lock of this session; no other session ever uses it
     * @param server number of the history of its server
     * @param now the time, by {@link dev.caravan.base.clock.Clock#elapsed()}
     */
    public ProvenSession(long key, long server, long now) {
        this(key, server, now, () -> {});
    }

    /** @param request requests a proof at once; it must return quickly */
    public ProvenSession(long key, long server, long now, Runnable request) {
        this.key = key;
        this.server = server;
        this.request = request;
        provenUntil = now;
        neededAt = now;
    }

    /** The key for the row of a lane; null if there is no session. */
    public Long key() {
        return this == NONE ? null : Long.valueOf(key);
    }

    /** The number of the history of its server, for the row of a lane; null if there is no session. */
    public Long server() {
        return this == NONE ? null : Long.valueOf(server);
    }

    /**
     * Records a proof.
     *
     * @param requestedAt time before the proof was requested
     * @return the end of the previous proof
     */
    public long proven(long requestedAt) {
        long previous = provenUntil;
        provenUntil = requestedAt + VALIDITY.toNanos();
        return previous;
    }

    /** Ends the proof, because the session has ended. */
    public void ended(long now) {
        provenUntil = now;
    }

    /** Records that messages wait to start, and requests a proof if none is valid. */
    void need(long now) {
        if (now - neededAt >= PRECISION) {
            neededAt = now;
        }
        if (!isProven(now)) {
            request.run();
        }
    }

    /** Whether messages wait to start, or did so a moment ago. If not, a proof is made when it is requested. */
    public boolean isNeeded(long now) {
        return now - neededAt < NEEDED;
    }

    /** Whether messages may start. */
    boolean isProven(long now) {
        return this == NONE || this != UNKNOWN && provenUntil - now > 0;
    }
}
