package dev.caravan;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits until something holds, at most for a time. */
public final class Eventually {
    private static final Duration LIMIT = Duration.ofSeconds(15);

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
        while (true) {
            try {
                expectation.check();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() - end >= 0) {
                    throw e;
                }
            }
            LockSupport.parkNanos(2_000_000);
        }
    }
}
