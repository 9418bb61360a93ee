package dev.caravan.selection;

import dev.caravan.clock.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Spreads changes over time, so that destinations are not flooded. */
public final class ChangePace {
    /** What time it is, and how it passes. */
    public interface Time {
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

    private static final long LONGEST_STEP = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int LARGEST_CHUNK = 1_000;

    private final int perSecond;
    private final Time time;
    private long dueNanos;

    /** @param perSecond 0 means as fast as possible */
    public ChangePace(int perSecond, Time time) {
        this.perSecond = perSecond;
        this.time = time;
        this.dueNanos = time.nanos();
    }

    /** How many to change in one transaction: little enough that a slow pace is even. */
    public int chunk() {
        return perSecond == 0 ? LARGEST_CHUNK : Math.max(1, Math.min(LARGEST_CHUNK, perSecond / 4));
    }

    /**
     * Waits until the next chunk may go.
     *
     * @return false when {@code goOn} ended the wait
     */
    public boolean await(BooleanSupplier goOn) throws InterruptedException {
        while (goOn.getAsBoolean()) {
            long left = dueNanos - time.nanos();
            if (left <= 0) {
                return true;
            }
            time.pass(Math.min(left, LONGEST_STEP));
        }
        return false;
    }

    /** So many were changed. */
    public void took(long changes) {
        if (perSecond > 0) {
            dueNanos = Math.max(dueNanos, time.nanos() - TimeUnit.SECONDS.toNanos(1))
                    + changes * TimeUnit.SECONDS.toNanos(1) / perSecond;
        }
    }
}
