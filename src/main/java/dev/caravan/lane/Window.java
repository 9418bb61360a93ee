package dev.caravan.lane;

import dev.caravan.delivery.Availability;
import dev.caravan.delivery.Schedule;
import dev.caravan.progress.Read;

/** How many messages and bytes a lane may take now, from the outbox and from {@code outbox_retry}. */
final class Window {
    /** So many messages that the database refused take no room: one must not stop a lane whose window is one batch. */
    private static final int FREE_REFUSALS = 10;
    /** At most one message in so many of the window comes from {@code outbox_retry} for another attempt: others need the room. */
    private static final int RETRY_SHARE = 4;

    private final LaneOptions options;
    private final Schedule schedule;
    private final RetryState retryState;

    Window(LaneOptions options, Schedule schedule, RetryState retryState) {
        this.options = options;
        this.schedule = schedule;
        this.retryState = retryState;
    }

    /** Whether a whole batch may be read. */
    boolean hasRoom() {
        int heldUp = Math.max(0, retryState.heldUpCount() - FREE_REFUSALS);
        return schedule.size() + heldUp + options.batchSize() <= messages()
                && schedule.bytes() + retryState.changeBytes() < options.windowBytes();
    }

    /**
     * How many messages may be taken. While only failures say that the destination is unavailable, each probe that failed lets
     * twice as many batches more be read: what gets through may lie behind the messages that fail. Their bytes are bounded all
     * the same.
     */
    private long messages() {
        int probes = schedule.availability().inferredProbes();
        return probes == 0
                ? options.window()
                : options.window() + ((long) options.batchSize() << Math.min(probes - 1, 20));
    }

    /** What to read next of the outbox, or null while there is no room for a batch. */
    Read next(Reading reading, long now) {
        if (hasRoom()) {
            return reading.next(
                    options.batchSize(), Math.min(options.batchBytes(), options.windowBytes() - schedule.bytes()), now);
        }
        // In order strict a full window may wait for ids missing below it, and would stay full for ever. These may
        // exceed the window by a batch; then one at a time, so by no more than the transactions that were open side
        // by side.
        int limit = Math.min(options.batchSize(), options.window() + options.batchSize() - schedule.size());
        long bytes = Math.min(options.batchBytes(), options.windowBytes() + options.batchBytes() - schedule.bytes());
        return reading.nextMissing(schedule.firstInStrictOrder(), Math.max(1, limit), Math.max(1, bytes), now);
    }

    /** How many messages of {@code outbox_retry} may be taken for another attempt. */
    int roomForRetries() {
        boolean unavailable = schedule.availability().isUnavailable();
        if (hasRoom() && (!unavailable || schedule.size() == 0)) {
            int most = unavailable ? Availability.TEST_MESSAGES : Math.max(1, options.window() / RETRY_SHARE);
            int limit = Math.min(options.batchSize(), most - schedule.dueRetries());
            if (limit > 0) {
                return limit;
            }
        }
        // In order strict all that is in the schedule waits for the first in outbox_retry: without it, for ever.
        return retryState.lowestIsThere() ? 1 : 0;
    }
}
