package dev.caravan.base.clock;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clocks of this machine. On Linux the monotonic clock stops while the machine is suspended, so that an expired lease would
 * seem to hold. The wall clock continues, but people and NTP set it. When it advances by more than the monotonic clock, a
 * suspension is assumed. So a wall clock that is set forward ends a lease early, and one that is set back has no effect.
 */
public final class SystemClock implements Clock {
    /** Normal drift between two readings is smaller. A shorter suspension is not detected. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier nanoClock;
    private final LongSupplier milliClock;
    /** The last recorded difference between the clocks, in nanoseconds. */
    private volatile long difference;

    private volatile long suspended;

    /**
     * @param nanoClock monotonic, in nanoseconds, may stop while the machine is suspended
     * @param milliClock the wall clock, in milliseconds
     */
    public SystemClock(LongSupplier nanoClock, LongSupplier milliClock) {
        this.nanoClock = nanoClock;
        this.milliClock = milliClock;
        this.difference = differenceNow();
    }

    @Override
    public long nanos() {
        return nanoClock.getAsLong();
    }

    @Override
    public long elapsed() {
        long nanos = nanoClock.getAsLong();
        if (Math.abs(TimeUnit.MILLISECONDS.toNanos(milliClock.getAsLong()) - nanos - difference) > TOLERANCE) {
            recordDifference();
        }
        return nanos + suspended;
    }

    @Override
    public long elapsedAtLeast() {
        return nanoClock.getAsLong() + suspended;
    }

    @Override
    public long millis() {
        return milliClock.getAsLong();
    }

    /** Reads both clocks again, because the thread may have been interrupted between the two readings. */
    private synchronized void recordDifference() {
        long now = differenceNow();
        if (Math.abs(now - difference) > TOLERANCE) {
            suspended += Math.max(0, now - difference);
            difference = now;
        }
    }

    private long differenceNow() {
        long nanos = nanoClock.getAsLong();
        return TimeUnit.MILLISECONDS.toNanos(milliClock.getAsLong()) - nanos;
    }
}
