package dev.caravan.lab.demo;

import java.util.concurrent.TimeUnit;

/** Detects that a number no longer grows. */
final class Progressing {
    private final long patienceNanos;
    private long last = -1;
    private long grewAt = System.nanoTime();

    Progressing(int patienceSeconds) {
        patienceNanos = TimeUnit.SECONDS.toNanos(patienceSeconds);
    }

    boolean stalled(long count) {
        if (count != last) {
            last = count;
            grewAt = System.nanoTime();
        }
        return System.nanoTime() - grewAt > patienceNanos;
    }
}
