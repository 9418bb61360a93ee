package dev.caravan.camel.kafka;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that continue the routes of one endpoint after Kafka's answer: at most so many at once, of a pool that all endpoints share. With a
 * pool for each, hundreds of routes with little traffic would keep thousands of threads. Further tasks wait. Thread-safe.
 */
final class AnswerThreads extends AbstractExecutorService {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerThreads.class);

    private final Executor pool;
    private final int most;

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Set<Thread> running = new HashSet<>();
    /** Number of threads, with those that are coming. */
    private int threads;

    private boolean isShutdown;

    /** @param pool starts a thread for each of its tasks */
    AnswerThreads(Executor pool, int most) {
        this.pool = pool;
        this.most = most;
    }

    @Override
    public synchronized void execute(Runnable task) {
        if (isShutdown) {
            throw new RejectedExecutionException("the endpoint is stopped");
        }
        if (threads < most) {
            start();
        }
        tasks.add(task);
    }

    /** Fails if there is no thread for the tasks. */
    private void start() {
        try {
            pool.execute(this::run);
            threads++;
        } catch (RejectedExecutionException
                | OutOfMemoryError e) { // OutOfMemoryError: the process has too many threads
            if (threads == 0) {
                throw e;
            }
        }
    }

    private void run() {
        synchronized (this) {
            running.add(Thread.currentThread());
        }
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("Could not continue after an answer of Kafka", e);
            }
        }
    }

    /** The next task of the calling thread; null if it must end. */
    private synchronized Runnable next() {
        Runnable next = tasks.poll();
        if (next == null) {
            running.remove(Thread.currentThread());
            threads--;
            Thread.interrupted(); // it was meant for this endpoint only
            notifyAll();
        }
        return next;
    }

    @Override
    public synchronized void shutdown() {
        isShutdown = true;
        notifyAll();
    }

    @Override
    public synchronized List<Runnable> shutdownNow() {
        shutdown();
        running.forEach(Thread::interrupt);
        List<Runnable> waiting = List.copyOf(tasks);
        tasks.clear();
        return waiting;
    }

    @Override
    public synchronized boolean isShutdown() {
        return isShutdown;
    }

    @Override
    public synchronized boolean isTerminated() {
        return isShutdown && threads == 0;
    }

    @Override
    public synchronized boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        long end = System.nanoTime() + unit.toNanos(timeout);
        for (long left = end - System.nanoTime(); !isTerminated() && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return isTerminated();
    }
}
