package dev.caravan.lane;

import java.util.EnumSet;
import java.util.Set;

/** Whether a lane may start messages: its lease holds, nothing suspends it, and it is not closed. */
final class Permission {
    private final Set<Suspension> suspensions = EnumSet.noneOf(Suspension.class);
    private volatile boolean closed;
    private volatile long leaseEnds;

    Permission(long leaseEnds) {
        this.leaseEnds = leaseEnds;
    }

    /** Requires the lock of the lane. */
    boolean mayStart(long now) {
        return !closed && suspensions.isEmpty() && leaseHolds(now);
    }

    boolean leaseHolds(long now) {
        return leaseEnds - now > 0;
    }

    void renewed(long newLeaseEnds) {
        leaseEnds = newLeaseEnds;
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
