package dev.caravan.console.http;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that run operations, separate from the event loop and from delivery. Each role has a queue of its own, so that searches of
 * a dashboard do not delay an administrator, and changes have another one, so that they do not wait for what is only read.
 */
public final class Workers implements AutoCloseable {
    private static final int READS_OF_A_ROLE = 2;
    private static final int CHANGES = 1;
    private static final int QUEUE_LENGTH = 100;

    private final Map<Role, ExecutorService> reads = new EnumMap<>(Role.class);
    private final ExecutorService changes = threads("http-api-change-", CHANGES, QUEUE_LENGTH);

    public Workers() {
        for (Role role : Role.values()) {
            reads.put(role, threads("http-api-" + role + "-", READS_OF_A_ROLE, QUEUE_LENGTH));
        }
    }

    /** Daemon threads that end after a minute without a task. */
    public static ExecutorService threads(String prefix, int count, int queueLength) {
        var threads = new ThreadPoolExecutor(
                count, count, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(queueLength), named(prefix));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /**
     * Runs a request of a caller with this role.
     *
     * @throws HttpProblem when the queue is full or the relay is stopping
     */
    void submit(Role role, boolean change, Runnable task) {
        try {
            (change ? changes : reads.get(role)).execute(task);
        } catch (RejectedExecutionException e) {
            throw HttpProblem.later(503, "Too many requests are waiting, or the relay is stopping.", 1);
        }
    }

    @Override
    public void close() {
        List<ExecutorService> all = new ArrayList<>(reads.values());
        all.add(changes);
        all.forEach(ExecutorService::shutdownNow);
    }

    private static ThreadFactory named(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
