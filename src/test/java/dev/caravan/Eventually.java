package dev.caravan;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits until something holds, at most for a time. */
public final class Eventually {
    /** Long: it costs nothing but where a test fails, and a busy machine may take its time. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long SHORTEST_PAUSE_NANOS = 2_000_000;
    /** A look at a database or a page takes processor time from what is waited for. */
    private static final long LONGEST_PAUSE_NANOS = 25_000_000;

    private Eventually() {}

    /** What must hold; throws as long as it does not. */
    @FunctionalInterface
    public interface Expectation {
        void check() throws Exception;
    }

    /** Returns as soon as the expectation holds; after the limit it throws what the last check threw. */
    public static void eventually(Expectation expectation) throws Exception {
        eventually(LIMIT, expectation);
    }

    /** The same with a limit of its own. */
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
