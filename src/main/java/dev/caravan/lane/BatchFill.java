package dev.caravan.lane;

import dev.caravan.delivery.Schedule;

/** Decides for how long messages that may start wait for others, so that a batch becomes larger. */
final class BatchFill {
    private final BatchLimits limits;
    private final Schedule schedule;
    private final Window window;
    private boolean waits;
    private long since;

    BatchFill(BatchLimits limits, Schedule schedule, Window window) {
        this.limits = limits;
        this.schedule = schedule;
        this.window = window;
    }

    /** The time until a batch may start, in nanoseconds: 0 if one may start now, or if no message may start. */
    long left(long now) {
        if (limits.maxWait().isZero() || !schedule.hasReady() || isFull()) {
            return 0;
        }
        if (!waits) {
            waits = true;
            since = now;
        }
        return Math.max(0, since + limits.maxWait().toNanos() - now);
    }

    /** Whether to wait is useless: there are messages enough, no more will be read, or the destination is being tested. */
    private boolean isFull() {
        return schedule.size() - schedule.started() >= limits.messages()
                || !window.hasRoom()
                || schedule.availability().isTesting();
    }

    /** A batch has started. */
    void started() {
        waits = false;
    }
}
