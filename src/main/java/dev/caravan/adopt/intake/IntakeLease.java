package dev.caravan.adopt.intake;

/** The right of this relay to work an intake, by its own monotonic clock: it ends no later than by the clock of the database. Thread-safe. */
final class IntakeLease {
    private final long epoch;
    private volatile long renewedAt;
    private volatile long renewedByTurnAt;

    /** @param askedAt before the statement that granted it was sent, in nanoseconds */
    IntakeLease(long epoch, long askedAt) {
        this.epoch = epoch;
        renewedAt = askedAt;
        renewedByTurnAt = askedAt;
    }

    long epoch() {
        return epoch;
    }

    long renewedAt() {
        return renewedAt;
    }

    /** When a round renewed it last, and not another thread during a long step. */
    long renewedByTurnAt() {
        return renewedByTurnAt;
    }

    void renewed(long askedAt) {
        renewedByTurnAt = askedAt;
        renewedMeanwhile(askedAt);
    }

    synchronized void renewedMeanwhile(long askedAt) {
        renewedAt = Math.max(renewedAt, askedAt);
    }

    /** Whether no other relay can have claimed the intake. */
    boolean holds(long now) {
        return now - renewedAt < IntakeStore.LEASE.toNanos();
    }
}
