package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.camel.util.function.ThrowingConsumer;

/** Limits the rate of changes, so that destinations are not overloaded. */
final class ChangePace {
    private static final long MAX_SLEEP = TimeUnit.MILLISECONDS.toNanos(100);

    private final int perSecond;
    private final Clock clock;
    private final ThrowingConsumer<Long, InterruptedException> sleep;
    private long dueNanos;

    /**
     * @param perSecond maximum number of changes per second; 0 for no limit
     * @param sleep sleeps for some nanoseconds
     */
    ChangePace(int perSecond, Clock clock, ThrowingConsumer<Long, InterruptedException> sleep) {
        this.perSecond = perSecond;
        this.clock = clock;
        this.sleep = sleep;
        this.dueNanos = clock.nanos();
    }

    /** Number of messages to change in one transaction: at most this one, and a quarter of a second's changes. */
    int chunk(int max) {
        return perSecond == 0 ? max : Math.max(1, Math.min(max, perSecond / 4));
    }

    /**
     * Waits until the next chunk may be changed.
     *
     * @return false when {@code mayContinue} ended the wait
     */
    boolean await(BooleanSupplier mayContinue) throws InterruptedException {
        while (mayContinue.getAsBoolean()) {
            long left = dueNanos - clock.nanos();
            if (left <= 0) {
                return true;
            }
            sleep.accept(Math.min(left, MAX_SLEEP));
        }
        return false;
    }

    /** Records the number of changes made. */
    void record(long changes) {
        if (perSecond > 0) {
            dueNanos = Math.max(dueNanos, clock.nanos() - TimeUnit.SECONDS.toNanos(1))
                    + changes * TimeUnit.SECONDS.toNanos(1) / perSecond;
        }
    }
}
