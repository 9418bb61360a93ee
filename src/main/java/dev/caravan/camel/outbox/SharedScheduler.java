package dev.caravan.camel.outbox;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.Consumer;
import org.apache.camel.spi.ScheduledPollConsumerScheduler;
import org.apache.camel.support.service.ServiceHelper;
import org.apache.camel.support.service.ServiceSupport;

/** Polls the consumer of one lane when its loop says, on threads that all lanes of a relay share. Thread-safe. */
final class SharedScheduler extends ServiceSupport implements ScheduledPollConsumerScheduler {
    /** The pause between two polls of a consumer that is not started. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final java.util.function.Consumer<Runnable> onWake;
    private final LongSupplier untilTurn;
    private final Supplier<ScheduledExecutorService> threads;
    private CamelContext context;
    private Consumer consumer;
    private Runnable poll;
    private boolean polls;
    private boolean isRunning;
    /** Whether a poll is to follow the running one at once. */
    private boolean again;
    /** The next poll; null while one is running. */
    private Future<?> next;
    /** Whether the next poll is to begin at once: it keeps its place among the polls of other lanes. */
    private boolean isDue;
    /** The number of the next poll. One of a lower number was replaced at the moment when it began, and does nothing. */
    private long number;

    /**
     * @param onWake sets what is called when the next poll is to start at once
     * @param untilTurn the time until the next poll, in nanoseconds
     * @param threads those of the relay; others after a restart of the component
     */
    SharedScheduler(
            java.util.function.Consumer<Runnable> onWake,
            LongSupplier untilTurn,
            Supplier<ScheduledExecutorService> threads) {
        this.onWake = onWake;
        this.untilTurn = untilTurn;
        this.threads = threads;
    }

    @Override
    public void onInit(Consumer consumer) {
        this.consumer = consumer;
        onWake.accept(this::pollNow);
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
        boolean isWaiting = next != null && isDue;
        if (polls
                && !isRunning
                && !isWaiting
                && (next == null || next.cancel(false))) { // otherwise it has begun to run
            pollIn(0);
        }
    }

    private void pollIn(long nanos) {
        long planned = ++number;
        isDue = nanos == 0;
        next = threads.get().schedule(() -> run(planned), nanos, TimeUnit.NANOSECONDS);
    }

    private void run(long planned) {
        synchronized (this) {
            if (!polls || isRunning || planned != number) {
                return;
            }
            isRunning = true;
            again = false;
            next = null;
        }
        long pause = 0;
        try {
            poll.run();
            boolean polled = ServiceHelper.isStarted(consumer); // Camel calls a suspended one too, which does nothing
            pause = polled ? untilTurn.getAsLong() : PAUSE_NANOS;
        } finally {
            ended(pause);
        }
    }

    private synchronized void ended(long pause) {
        isRunning = false;
        if (polls) {
            pollIn(again ? 0 : Math.max(0, pause));
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
