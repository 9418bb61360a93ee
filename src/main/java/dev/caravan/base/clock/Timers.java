package dev.caravan.base.clock;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Runs periodic tasks in threads that do not keep the process alive. */
public final class Timers {
    private Timers() {}

    /** @param name of its threads */
    public static ScheduledThreadPoolExecutor daemons(String name, int threads) {
        return new ScheduledThreadPoolExecutor(threads, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
