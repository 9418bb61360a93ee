package dev.caravan.lab.demo;

import java.util.concurrent.TimeUnit;

/** Detects that a number has stopped growing. */
final class StallDetector {
    private final long limitNanos;
    private long last = -1;
    private long grewAt = System.nanoTime();

    StallDetector(int limitSeconds) {
        limitNanos = TimeUnit.SECONDS.toNanos(limitSeconds);
    }

    /** Whether the number has not changed for the limit. */
    boolean isDetected(long count) {
        if (count != last) {
            last = count;
            grewAt = System.nanoTime();
        }
        return System.nanoTime() - grewAt > limitNanos;
    }
}
