package dev.caravan.lane;

/** The row of one lane in {@code outbox_subscription}, with the conditions of {@code claim.sql} and {@code acknowledge.sql}. */
final class SimulatedSubscription {
    final SimulatedRetries retries = new SimulatedRetries();
    private final long leaseNanos;
    private long position;
    private String gaps = "{}";
    private long delivered;
    private String owner;
    private long epoch;
    private long leaseUntil;

    SimulatedSubscription(long leaseNanos) {
        this.leaseNanos = leaseNanos;
    }

    /** Takes the lease if it is free. */
    boolean claim(String relay, long now) {
        if (owner != null && leaseUntil >= now) {
            return false;
        }
        owner = relay;
        epoch++;
        leaseUntil = now + leaseNanos;
        return true;
    }

    /** Saves progress and changes in one transaction and renews the lease; false if another relay has taken the lane. */
    boolean save(long savedBy, Acknowledgement save, long now) {
        if (savedBy != epoch || owner == null) {
            return false;
        }
        position = save.progress().position();
        gaps = save.progress().gaps().toMultirange();
        delivered = save.delivered();
        retries.write(save.changes(), now);
        leaseUntil = now + leaseNanos;
        return true;
    }

    void release(long releasedBy) {
        if (releasedBy == epoch) {
            owner = null;
        }
    }

    SavedProgress progress() {
        return new SavedProgress(position, IdRanges.parse(gaps));
    }

    long delivered() {
        return delivered;
    }

    long epoch() {
        return epoch;
    }
}
