package dev.caravan.engine.lane;

import dev.caravan.engine.progress.Read;
import dev.caravan.engine.schedule.Availability;
import dev.caravan.engine.schedule.Schedule;

/** Limits the number and size of the messages that a lane takes from the outbox and from {@code outbox_retry}. */
final class Window {
    /** Number of refused messages that do not count: a single one must not stop a lane whose window is one batch. */
    private static final int FREE_REFUSALS = 10;
    /** At most this fraction (1/4) of the window is used for retries from {@code outbox_retry}. */
    private static final int RETRY_SHARE = 4;

    private final LaneSettings options;
    private final Schedule schedule;
    private final RetryState retryState;

    Window(LaneSettings options, Schedule schedule, RetryState retryState) {
        this.options = options;
        this.schedule = schedule;
        this.retryState = retryState;
    }

    /** Whether there is room for a whole batch. */
    boolean hasRoom() {
        return hasRoom(0, 0);
    }

    private boolean hasRoom(int moreMessages, long moreBytes) {
        int deferred = Math.max(0, retryState.deferredCount() - FREE_REFUSALS);
        return schedule.size() + deferred + options.batchSize() <= messages() + moreMessages
                && schedule.bytes() + retryState.changeBytes() < options.windowBytes() + moreBytes;
    }

    /**
     * The maximum number of messages. While the destination is considered unavailable only because messages failed, each failed
     * probe doubles the number of additional batches, because later messages may succeed. Their size in bytes is still limited.
     */
    private long messages() {
        int probes = schedule.availability().inferredProbes();
        return probes == 0
                ? options.window()
                : options.window() + ((long) options.batchSize() << Math.min(probes - 1, 20));
    }

    /** The next read of the outbox, or null while there is no room for a batch. */
    Read next(Reading reading, long now) {
        if (hasRoom()) {
            return reading.next(
                    options.batchSize(), Math.min(options.batchBytes(), options.windowBytes() - schedule.bytes()), now);
        }
        // With order=strict, a full window may wait for missing ids below it, and would remain full. Reads of these ids
        // may exceed the window by a batch, then by one message at a time: in total by no more than the number of
        // transactions that were open at the same time.
        int limit = Math.min(options.batchSize(), options.window() + options.batchSize() - schedule.size());
        long bytes = Math.min(options.batchBytes(), options.windowBytes() + options.batchBytes() - schedule.bytes());
        return reading.nextMissing(schedule.firstInStrictOrder(), Math.max(1, limit), Math.max(1, bytes), now);
    }

    /** The number of messages of {@code outbox_retry} that may be taken for another attempt. */
    int roomForRetries() {
        boolean inferred = schedule.availability().isInferred();
        boolean reported = schedule.availability().isUnavailable() && !inferred;
        int share = Math.max(1, options.window() / RETRY_SHARE);
        // Such an outage may end only with a message that failed before: those exceed a window that is full of others.
        if (inferred
                ? hasRoom(share + options.batchSize(), options.batchBytes())
                : hasRoom() && (!reported || schedule.size() == 0)) {
            int most = reported ? Availability.TEST_MESSAGES : share;
            int limit = Math.min(options.batchSize(), most - schedule.dueRetries());
            if (limit > 0) {
                return limit;
            }
        }
        // With order=strict, the whole schedule may wait for the first message in outbox_retry: always take that one.
        return retryState.lowestIsInTable() ? 1 : 0;
    }
}
