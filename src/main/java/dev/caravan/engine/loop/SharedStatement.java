package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import java.time.Duration;

/**
 * A statement that one thread runs for all lanes: the first one that finds it due. Others continue without it. If the connection of
 * a thread hangs, another thread runs the statement too. Thread-safe.
 */
final class SharedStatement {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Clock clock;
    private long begunAt;
    private boolean running;

    /** It is due when its interval has passed. */
    SharedStatement(Clock clock) {
        this.clock = clock;
        begunAt = clock.nanos();
    }

    /** Runs the statement if the interval has passed since its last run began, and no other thread runs it; returns whether it has run. */
    boolean runIfDue(Duration interval, Runnable statement) {
        if (!begin(interval)) {
            return false;
        }
        try {
            statement.run();
            return true;
        } finally {
            end();
        }
    }

    private synchronized boolean begin(Duration interval) {
        long now = clock.nanos();
        if (now - begunAt < (running ? PATIENCE : interval).toNanos()) {
            return false;
        }
        begunAt = now;
        running = true;
        return true;
    }

    private synchronized void end() {
        running = false;
    }
}
