package dev.caravan.camel.outbox;

import dev.caravan.engine.loop.LaneLoop;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.Consumer;
import org.apache.camel.spi.ScheduledPollConsumerScheduler;
import org.apache.camel.support.service.ServiceSupport;

/** Polls the consumer of one lane when its loop says, on threads that all lanes of a relay share. Thread-safe. */
final class SharedScheduler extends ServiceSupport implements ScheduledPollConsumerScheduler {
    private final LaneLoop loop;
    private final Supplier<ScheduledExecutorService> threads;
    private CamelContext context;
    private Runnable poll;
    private boolean polls;
    private boolean isRunning;
    /** Whether a poll is to follow the running one at once. */
    private boolean again;
    /** The next poll; null while one is running. */
    private Future<?> next;

    /** @param threads those of the relay; others after a restart of the component */
    SharedScheduler(LaneLoop loop, Supplier<ScheduledExecutorService> threads) {
        this.loop = loop;
        this.threads = threads;
    }

    @Override
    public void onInit(Consumer consumer) {
        loop.onWake(this::pollNow);
    }

    @Override
    public synchronized void scheduleTask(Runnable task) {
        poll = task;
    }

    @Override
    public synchronized void startScheduler() {
        if (!polls) {
            polls = true;
            pollNow();
        }
    }

    private synchronized void pollNow() {
        again = true;
        if (polls && !isRunning && (next == null || next.cancel(false))) { // otherwise it has begun to run
            next = threads.get().submit(this::run);
        }
    }

    private void run() {
        synchronized (this) {
            if (!polls || isRunning) {
                return;
            }
            isRunning = true;
            again = false;
            next = null;
        }
        long pause = 0;
        try {
            poll.run();
            pause = loop.untilTurn();
        } finally {
            ended(pause);
        }
    }

    private synchronized void ended(long pause) {
        isRunning = false;
        if (polls) {
            next = threads.get().schedule(this::run, again ? 0 : Math.max(0, pause), TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public synchronized void unscheduleTask() {
        polls = false;
        if (next != null) {
            next.cancel(false);
            next = null;
        }
    }

    @Override
    public synchronized boolean isSchedulerStarted() {
        return polls;
    }

    @Override
    public void setCamelContext(CamelContext context) {
        this.context = context;
    }

    @Override
    public CamelContext getCamelContext() {
        return context;
    }

    @Override
    protected void doStop() {
        unscheduleTask();
    }
}
