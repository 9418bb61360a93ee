package dev.caravan.engine.lane;

import java.util.EnumSet;
import java.util.Set;

/** Whether a lane may start messages: its lease holds, its session is proven, nothing suspends it, and it is not closed. */
final class Permission {
    private final Set<Suspension> suspensions = EnumSet.noneOf(Suspension.class);
    private volatile boolean closed;
    private volatile long leaseEnds;
    /** The session in the row; unknown while a save with another session is not answered. */
    private volatile ProvenSession session;
    /** The session of the last answered claim or save. */
    private ProvenSession answered;

    Permission(long leaseEnds, ProvenSession session) {
        this.leaseEnds = leaseEnds;
        this.session = session;
        answered = session;
    }

    /** Requires the lock of the lane. */
    boolean mayStart(long now) {
        return !closed && suspensions.isEmpty() && isExclusive(now);
    }

    /** Requests a proof of the session if it has none: messages wait to start. Nobody proves the session of an idle lane often enough. */
    void needProof(long now) {
        session.need(now);
    }

    /** Whether the lane takes messages that others have read: nothing suspends it. */
    boolean mayTake() {
        return !closed && suspensions.isEmpty();
    }

    /** Whether no other relay can have claimed the lane. */
    boolean isExclusive(long now) {
        return leaseHolds(now) && session.isProven(now);
    }

    boolean leaseHolds(long now) {
        return leaseEnds - now > 0;
    }

    void renewed(long newLeaseEnds) {
        leaseEnds = newLeaseEnds;
    }

    /** Whether the last answered claim or save has written this session, and no later save has requested another one. */
    boolean isWritten(ProvenSession current) {
        return answered == current && session == current;
    }

    /** Records that a save with this session is requested. Until it is answered, the row contains this session or an earlier one. */
    void requested(ProvenSession next) {
        if (session == ProvenSession.NONE) {
            session = next;
        } else if (next != session && next != ProvenSession.NONE) {
            session = ProvenSession.UNKNOWN;
        }
    }

    /** Records that the row contains this session. */
    void written(ProvenSession current) {
        session = current;
        answered = current;
    }

    void suspend(Suspension reason) {
        suspensions.add(reason);
    }

    /** Removes a reason; returns whether it was present. */
    boolean resume(Suspension reason) {
        return suspensions.remove(reason);
    }

    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }
}
