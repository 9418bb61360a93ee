package dev.caravan.camel.httpclient;

import dev.caravan.base.clock.Timers;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs an action at a time, unless it is closed before. */
final class Deadline implements AutoCloseable {
    /** Two threads: a slow end of one connection does not delay all others. */
    private static final ScheduledThreadPoolExecutor TIMER = Timers.daemons("attempt-deadlines", 2);

    static {
        TIMER.setRemoveOnCancelPolicy(true);
    }

    private final ScheduledFuture<?> action;

    private Deadline(ScheduledFuture<?> action) {
        this.action = action;
    }

    static Deadline in(long millis, Runnable action) {
        return new Deadline(TIMER.schedule(action, millis, TimeUnit.MILLISECONDS));
    }

    @Override
    public void close() {
        action.cancel(false);
    }
}
