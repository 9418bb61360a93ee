package dev.caravan;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits until an expectation holds, with a time limit. */
public final class Eventually {
    /** Long, because it takes time only when a test fails, and a busy machine may be slow. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long SHORTEST_PAUSE_NANOS = 2_000_000;
    /** Not shorter, because a check of a database or a page uses processor time that the awaited work needs. */
    private static final long LONGEST_PAUSE_NANOS = 25_000_000;

    private Eventually() {}

    /** Throws as long as it does not hold. */
    @FunctionalInterface
    public interface Expectation {
        void check() throws Exception;
    }

    /** Returns as soon as the expectation holds; after the limit it throws what the last check threw. */
    public static void eventually(Expectation expectation) throws Exception {
        eventually(LIMIT, expectation);
    }

    /** The same with another limit. */
    public static void eventually(Duration limit, Expectation expectation) throws Exception {
        long end = System.nanoTime() + limit.toNanos();
        for (long pause = SHORTEST_PAUSE_NANOS; true; pause = Math.min(pause + pause / 4, LONGEST_PAUSE_NANOS)) {
            try {
                expectation.check();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() - end >= 0) {
                    throw e;
                }
            }
            LockSupport.parkNanos(pause);
        }
    }
}
