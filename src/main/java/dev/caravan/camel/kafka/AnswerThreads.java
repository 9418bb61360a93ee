package dev.caravan.camel.kafka;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
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
    private final CountDownLatch terminated = new CountDownLatch(1);

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
        Thread.interrupted(); // a step may have left the flag set, and an interrupt was meant for this endpoint only
        Runnable next = tasks.poll();
        if (next == null) {
            running.remove(Thread.currentThread());
            threads--;
            terminateIfDone();
        }
        return next;
    }

    private void terminateIfDone() {
        if (isShutdown && threads == 0) {
            terminated.countDown();
        }
    }

    @Override
    public synchronized void shutdown() {
        isShutdown = true;
        terminateIfDone();
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
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminated.await(timeout, unit);
    }
}
