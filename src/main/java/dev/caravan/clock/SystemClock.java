package dev.caravan.clock;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clocks of a machine. Its monotonic clock stands still while it is suspended on Linux, and a lease would seem to last.
 * The clock of the calendar goes on, but people and NTP set it: what it has gained is taken for a suspension, so a clock that
 * is set forward ends a lease early, and one that is set back changes nothing.
 */
public final class SystemClock implements Clock {
    /** Clocks drift apart by less between two looks; what is shorter ends no lease. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier nanoClock;
    private final LongSupplier milliClock;
    /** How far the clocks were apart when that was last taken note of. */
    private volatile long apart;

    private volatile long suspended;

    /**
     * @param nanoClock monotonic, in nanoseconds, may stand still while the machine is suspended
     * @param milliClock of the calendar, in milliseconds
     */
    public SystemClock(LongSupplier nanoClock, LongSupplier milliClock) {
        this.nanoClock = nanoClock;
        this.milliClock = milliClock;
        this.apart = apartNow();
    }

    @Override
    public long nanos() {
        return nanoClock.getAsLong();
    }

    @Override
    public long elapsed() {
        long nanos = nanoClock.getAsLong();
        if (Math.abs(TimeUnit.MILLISECONDS.toNanos(milliClock.getAsLong()) - nanos - apart) > TOLERANCE) {
            takeNote();
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

    /** Looks again: the thread may have been held up between the two clocks. */
    private synchronized void takeNote() {
        long now = apartNow();
        if (Math.abs(now - apart) > TOLERANCE) {
            suspended += Math.max(0, now - apart);
            apart = now;
        }
    }

    private long apartNow() {
        long nanos = nanoClock.getAsLong();
        return TimeUnit.MILLISECONDS.toNanos(milliClock.getAsLong()) - nanos;
    }
}
