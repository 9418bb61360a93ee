package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Limits the rate of changes, so that destinations are not overloaded. */
final class ChangePace {
    /** Reads the clock and sleeps. */
    interface Time {
        Time REAL = new Time() {
            @Override
            public long nanos() {
                return Clock.SYSTEM.nanos();
            }

            @Override
            public void pass(long nanos) throws InterruptedException {
                TimeUnit.NANOSECONDS.sleep(nanos);
            }
        };

        long nanos();

        void pass(long nanos) throws InterruptedException;
    }

    private static final long MAX_SLEEP = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MAX_CHUNK = 1_000;

    private final int perSecond;
    private final Time time;
    private long dueNanos;

    /** @param perSecond maximum number of changes per second; 0 for no limit */
    ChangePace(int perSecond, Time time) {
        this.perSecond = perSecond;
        this.time = time;
        this.dueNanos = time.nanos();
    }

    /** Number of messages to change in one transaction: at most a quarter of a second's changes. */
    int chunk() {
        return perSecond == 0 ? MAX_CHUNK : Math.max(1, Math.min(MAX_CHUNK, perSecond / 4));
    }

    /**
     * Waits until the next chunk may be changed.
     *
     * @return false when {@code mayContinue} ended the wait
     */
    boolean await(BooleanSupplier mayContinue) throws InterruptedException {
        while (mayContinue.getAsBoolean()) {
            long left = dueNanos - time.nanos();
            if (left <= 0) {
                return true;
            }
            time.pass(Math.min(left, MAX_SLEEP));
        }
        return false;
    }

    /** Records the number of changes made. */
    void record(long changes) {
        if (perSecond > 0) {
            dueNanos = Math.max(dueNanos, time.nanos() - TimeUnit.SECONDS.toNanos(1))
                    + changes * TimeUnit.SECONDS.toNanos(1) / perSecond;
        }
    }
}
