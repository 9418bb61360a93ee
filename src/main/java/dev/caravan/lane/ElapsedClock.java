package dev.caravan.lane;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Nanoseconds that have passed, also while the machine was suspended. {@link System#nanoTime()} stands still meanwhile on
 * Linux, and a lease would seem to last. The clock of the calendar goes on, but people and NTP set it: what it has gained
 * is taken for a suspension, so a clock that is set forward ends a lease early, and one that is set back changes nothing.
 */
public final class ElapsedClock implements LaneClock {
    /** Of this machine. */
    public static final ElapsedClock SYSTEM = new ElapsedClock(System::nanoTime, System::currentTimeMillis);

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
    public ElapsedClock(LongSupplier nanoClock, LongSupplier milliClock) {
        this.nanoClock = nanoClock;
        this.milliClock = milliClock;
        this.apart = apartNow();
    }

    @Override
    public long getAsLong() {
        long nanos = nanoClock.getAsLong();
        if (Math.abs(TimeUnit.MILLISECONDS.toNanos(milliClock.getAsLong()) - nanos - apart) > TOLERANCE) {
            takeNote();
        }
        return nanos + suspended;
    }

    @Override
    public long atLeast() {
        return nanoClock.getAsLong() + suspended;
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
