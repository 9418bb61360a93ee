package dev.caravan.lab.servers;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition with a time limit. */
public final class Await {
    private static final long PAUSE_NANOS = 5_000_000;

    private Await() {}

    /**
     * @param what the condition, as the end of the sentence "waited 10 s in vain until ..."
     * @return how long it took
     */
    public static Duration until(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        long began = System.nanoTime();
        while (!condition.call()) {
            if (System.nanoTime() - began > limit.toNanos()) {
                throw new IllegalStateException("waited " + limit.toSeconds() + " s in vain until " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
