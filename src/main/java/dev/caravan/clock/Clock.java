package dev.caravan.clock;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** What time it is. A clock of a test needs to tell its nanoseconds only. */
@FunctionalInterface
public interface Clock {
    /** The clock of this machine. */
    Clock SYSTEM = new SystemClock(System::nanoTime, System::currentTimeMillis);

    /** Nanoseconds since some moment, monotonic; may stand still while the machine is suspended. For pauses and limits. */
    long nanos();

    /** Nanoseconds since some moment, monotonic, also while the machine was suspended. For leases; not to be mixed with {@link #nanos()}. */
    default long elapsed() {
        return nanos();
    }

    /**
     * {@link #elapsed()} without a suspension that nobody has noticed yet. Reads one clock of the machine instead of two: for what
     * is looked at again before it matters.
     */
    default long elapsedAtLeast() {
        return elapsed();
    }

    /** Milliseconds since 1970, as the calendar of this machine says. */
    default long millis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos());
    }

    /** The time of the calendar. */
    default Instant now() {
        return Instant.ofEpochMilli(millis());
    }
}
