package dev.caravan.http;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The few threads that answer requests, so that neither the event loop nor the delivery waits for them. */
public final class Workers implements AutoCloseable {
    static final int THREADS = 2;
    private static final int WAITING = 100;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(WAITING), named("http-api-"));

    public Workers() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** @throws HttpProblem when too many requests wait already */
    void submit(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            throw HttpProblem.later(503, "Too many requests wait for the database, or the relay stops.", 1);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    public static ThreadFactory named(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
