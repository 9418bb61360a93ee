package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.Lane;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.camel.util.concurrent.CamelThreadFactory;

/**
 * The threads that deliver the messages of all lanes of a relay. There are as many as deliver at the moment, because each lane has its own
 * limit: a slow destination takes no thread that another lane needs. Idle threads end.
 */
final class DeliveryThreads {
    private static final String IDLE = "outbox-delivery";
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new CamelThreadFactory(null, IDLE, true));

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, new CamelThreadFactory(null, "outbox-timer", true), new ThreadPoolExecutor.DiscardPolicy());

    DeliveryThreads() {
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
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
        timer.shutdownNow();
    }
}
