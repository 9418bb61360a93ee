package dev.caravan.engine.lane;

import java.time.Duration;

/** Determines when a lane saves: soon after a change, and often enough to keep its lease. Times are those of its clock. */
final class SavePace {
    /** The longest pause while there are changes: short, because messages may wait until the change of an earlier message is saved. */
    private static final long LONGEST_PAUSE_WITH_CHANGES_NANOS = 1_000_000_000L;

    private final LaneSettings options;
    private final long saveInterval;
    private final long leaseRenewal;
    private boolean changed;
    private long savedAt;
    /** The shortest pause between two saves while old row versions remain, in nanoseconds. */
    private long shortestPause;

    SavePace(LaneSettings options, long now) {
        this.options = options;
        saveInterval = options.saveInterval().toNanos();
        leaseRenewal = options.leaseRenewal().toNanos();
        savedAt = now;
    }

    /** Records that there is something to save. */
    void changed() {
        changed = true;
    }

    /** Whether there is something to save. */
    boolean hasChanged() {
        return changed;
    }

    /** @param horizon the time for which old row versions have remained */
    void saveLessOften(Duration horizon) {
        shortestPause = options.pauseBetweenSaves(horizon).toNanos();
    }

    /**
     * @param refusedAreDue whether refused changes are to be saved again
     * @param changes number of changes to save
     */
    boolean saveIsDue(boolean refusedAreDue, int changes, long now) {
        long since = now - savedAt;
        long pause = changes == 0 ? shortestPause : Math.min(shortestPause, LONGEST_PAUSE_WITH_CHANGES_NANOS);
        return (changed || refusedAreDue) && since >= Math.max(saveInterval, pause)
                || changes >= options.batchSize()
                || since >= shortestPause && renewal(now) > renewal(savedAt);
    }

    /**
     * The number of the renewal that is due at a time. The lanes of a relay renew their leases at the same times of its clock, so that one statement
     * serves all: early if they have saved since the last one, and never late.
     */
    private long renewal(long time) {
        return Math.floorDiv(time, leaseRenewal);
    }

    /** @param isPart whether the save is a part and the next one follows at once */
    void saving(boolean isPart, long now) {
        savedAt = now;
        changed = isPart;
    }
}
