package dev.caravan.lane;

import java.time.Duration;

/** When a lane saves and reports: soon after a change, and often enough to keep its lease. Times are those of the lane's clock. */
final class SavePace {
    private static final int SPARING_PART = 10;
    private static final int SPARING_REPORTS = 20;
    /** Messages may wait for what is saved about an earlier one of their key. */
    private static final long SPARING_CHANGES_NANOS = 1_000_000_000L;

    private final LaneOptions options;
    private boolean changed;
    private long savedAt;
    private long reportedAt;
    /** The shortest pause between two saves while old versions of the row stay, in nanoseconds. */
    private long sparing;

    SavePace(LaneOptions options, long now) {
        this.options = options;
        savedAt = now;
        reportedAt = now;
    }

    /** There is something to save. */
    void changed() {
        changed = true;
    }

    /** Whether there is something to save. */
    boolean hasChanged() {
        return changed;
    }

    /** Old versions of the row have stayed for this time. */
    void spare(Duration horizon) {
        sparing = Math.min(
                horizon.toNanos() / SPARING_PART,
                options.longestPauseBetweenSaves().toNanos());
    }

    /**
     * @param refusedAreDue whether what was refused is to be stored again
     * @param changes how many changes wait for a save
     */
    boolean saveIsDue(boolean refusedAreDue, int changes, long now) {
        long since = now - savedAt;
        long pause = changes == 0 ? sparing : Math.min(sparing, SPARING_CHANGES_NANOS);
        return (changed || refusedAreDue)
                        && since >= Math.max(options.saveInterval().toNanos(), pause)
                || changes >= options.batchSize()
                || since >= Math.max(options.leaseRenewal().toNanos(), sparing);
    }

    /** @param isPart whether more is to be saved at once */
    void saves(boolean isPart, long now) {
        savedAt = now;
        changed = isPart;
    }

    boolean reportIsDue(long now) {
        return now - reportedAt >= options.leaseRenewal().toNanos() + SPARING_REPORTS * sparing;
    }

    void reports(long now) {
        reportedAt = now;
    }
}
