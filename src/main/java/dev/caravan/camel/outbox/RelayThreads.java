package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.Lane;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.camel.util.concurrent.CamelThreadFactory;

/**
 * The threads of a relay for all its lanes. Of those that deliver there are as many as deliver at the moment, because each lane has its own limit: a
 * slow destination takes no thread that another lane needs. The turns of the lanes share a few. Idle threads end.
 */
final class RelayThreads {
    private static final String IDLE = "outbox-delivery";
    private static final int IDLE_SECONDS = 10;
    /** Turns that run at once. Each needs at most two connections: see {@code Connections.OF_LANES}. */
    private static final int TURNS = 4;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new CamelThreadFactory(null, IDLE, true));

    private final ScheduledExecutorService timer = scheduled(1, "outbox-timer");
    private final ScheduledExecutorService turns = scheduled(TURNS, "outbox-turns");

    /** Not one of Camel's: these limit the number of waiting tasks, and each lane has one. */
    private static ScheduledExecutorService scheduled(int most, String name) {
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(
                most, new CamelThreadFactory(null, name, true), new ThreadPoolExecutor.DiscardPolicy());
        threads.setRemoveOnCancelPolicy(true);
        threads.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** For the turns of the lanes. */
    ScheduledExecutorService turns() {
        return turns;
    }

    /** Delivers the messages of a lane until it is closed. */
    void deliver(Lane lane, String name, Runnable delivery) {
        lane.deliverOn(threads, timer, () -> run(name, delivery));
    }

    /** Runs another task on one of these threads. */
    void execute(String name, Runnable task) {
        threads.execute(() -> run(name, task));
    }

    private static void run(String name, Runnable task) {
        Thread thread = Thread.currentThread();
        String idle = thread.getName();
        thread.setName(idle.replace(IDLE, name));
        try {
            task.run();
        } finally {
            thread.setName(idle);
        }
    }

    /** Starts no more threads. What runs continues to its end. */
    void close() {
        threads.shutdown();
        turns.shutdown();
        timer.shutdownNow();
    }
}
