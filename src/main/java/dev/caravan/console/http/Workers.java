package dev.caravan.console.http;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that run operations, separate from the event loop and from delivery. */
public final class Workers implements AutoCloseable {
    static final int THREADS = 2;
    private static final int QUEUE_LENGTH = 100;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(QUEUE_LENGTH), named("http-api-"));

    public Workers() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** @throws HttpProblem when the queue is full or the relay is stopping */
    void submit(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            throw HttpProblem.later(503, "Too many requests are waiting, or the relay is stopping.", 1);
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
