package dev.caravan.lane;

import java.util.EnumSet;
import java.util.Set;

/** Whether a lane may start messages: its lease holds, its session is proven, nothing suspends it, and it is not closed. */
final class Permission {
    private final Set<Suspension> suspensions = EnumSet.noneOf(Suspension.class);
    private volatile boolean closed;
    private volatile long leaseEnds;
    /** The session that the row names; unknown while a save with another session is not answered. */
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
        return !closed && suspensions.isEmpty() && isSure(now);
    }

    /** Whether no other relay can have claimed the lane. */
    boolean isSure(long now) {
        return leaseHolds(now) && session.isProven(now);
    }

    boolean leaseHolds(long now) {
        return leaseEnds - now > 0;
    }

    void renewed(long newLeaseEnds) {
        leaseEnds = newLeaseEnds;
    }

    /** Whether the last answered claim or save has written this session, and no later one another session. */
    boolean isNamed(ProvenSession current) {
        return answered == current && session == current;
    }

    /** A save with this session is requested: the row names it, or still an earlier one. */
    void naming(ProvenSession requested) {
        if (session == ProvenSession.NONE) {
            session = requested;
        } else if (requested != session && requested != ProvenSession.NONE) {
            session = ProvenSession.UNKNOWN;
        }
    }

    /** The row names this session. */
    void named(ProvenSession written) {
        session = written;
        answered = written;
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
