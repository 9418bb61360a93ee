package dev.caravan.engine.lane;

import dev.caravan.base.message.Key;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import java.util.List;
import java.util.Optional;

/** The row of one lane in {@code outbox_subscription}, with the conditions of {@code claim.sql} and {@code save_progress.sql}. */
final class SimulatedSubscription {
    final SimulatedRetries retries = new SimulatedRetries();
    private final long leaseNanos;
    private long position;
    private String gaps = "{}";
    private String olderGaps = "{}";
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
        gaps = progress().gaps().toMultirange();
        olderGaps = "{}";
        owner = relay;
        epoch++;
        leaseUntil = now + leaseNanos;
        return true;
    }

    /**
     * Saves progress and changes in one transaction and renews the lease; returns the keys whose next message may continue. Empty if
     * another relay has taken the lane.
     */
    Optional<List<Key>> save(long savedBy, Save save, LaneSettings options, long now) {
        if (savedBy != epoch || owner == null) {
            return Optional.empty();
        }
        position = save.progress().position();
        gaps = save.progress().gaps().toMultirange();
        if (save.progress().olderGaps() != null) {
            olderGaps = save.progress().olderGaps().toMultirange();
        }
        delivered = save.delivered();
        leaseUntil = now + leaseNanos;
        return Optional.of(retries.write(save.changes(), options, now));
    }

    void release(long releasedBy) {
        if (releasedBy == epoch) {
            owner = null;
        }
    }

    SavedProgress progress() {
        IdRanges all = IdRanges.parse(gaps);
        all.addAll(IdRanges.parse(olderGaps));
        return new SavedProgress(position, all);
    }

    long delivered() {
        return delivered;
    }

    long epoch() {
        return epoch;
    }
}
