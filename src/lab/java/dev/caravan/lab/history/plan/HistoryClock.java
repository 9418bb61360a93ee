package dev.caravan.lab.history.plan;

import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The time of the relays and of their database, whose clock can be set back. Time passes only in steps of the history. */
public final class HistoryClock implements Clock {
    static final long START_SECONDS = 1_900_000_000L;

    private final AtomicLong nanos =
            new AtomicLong(Duration.ofSeconds(START_SECONDS).toNanos());

    private volatile long setBackMicros;

    @Override
    public long nanos() {
        return nanos.get();
    }

    /** The time of the database. */
    public long micros() {
        return nanos.get() / 1_000 - setBackMicros;
    }

    /** Sets the clock of the database back. */
    public void setBackMillis(long millis) {
        setBackMicros += millis * 1_000;
    }

    public void passMillis(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
    }
}
