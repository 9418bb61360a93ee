package dev.caravan.base.clock;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The time of a machine. A clock for tests implements {@link #nanos()} only. */
@FunctionalInterface
public interface Clock {
    /** The clock of this machine. */
    Clock SYSTEM = new SystemClock(System::nanoTime, System::currentTimeMillis);

    /** Monotonic nanoseconds since an arbitrary moment; may stop while the machine is suspended. For pauses and limits. */
    long nanos();

    /** Monotonic nanoseconds since an arbitrary moment, including suspensions of the machine. For leases. Not comparable with {@link #nanos()}. */
    default long elapsed() {
        return nanos();
    }

    /**
     * A lower bound of {@link #elapsed()}: without suspensions that are not detected yet. Faster, because it reads one system clock
     * instead of two. For checks that are repeated with {@link #elapsed()}.
     */
    default long elapsedAtLeast() {
        return elapsed();
    }

    /** Milliseconds since 1970, by the wall clock of this machine. */
    default long millis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos());
    }

    /** The time of the wall clock. */
    default Instant now() {
        return Instant.ofEpochMilli(millis());
    }
}
