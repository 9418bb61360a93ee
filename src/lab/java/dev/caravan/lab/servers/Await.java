package dev.caravan.lab.servers;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition with a time limit. */
public final class Await {
    private static final long SHORTEST_PAUSE_NANOS = 5_000_000;
    /** Not shorter, because a check of a database uses processor time that the awaited work needs. */
    private static final long LONGEST_PAUSE_NANOS = 50_000_000;

    private Await() {}

    /**
     * @param what the condition, as the end of the sentence "timed out after waiting 10 s until ..."
     * @return how long it took, up to 50 ms too long
     */
    public static Duration until(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        long began = System.nanoTime();
        while (!condition.call()) {
            long waited = System.nanoTime() - began;
            if (waited > limit.toNanos()) {
                throw new IllegalStateException("timed out after waiting " + limit.toSeconds() + " s until " + what);
            }
            LockSupport.parkNanos(Math.max(SHORTEST_PAUSE_NANOS, Math.min(waited / 20, LONGEST_PAUSE_NANOS)));
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
