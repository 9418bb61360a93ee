package dev.caravan.engine.lane;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.schedule.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that deliver the messages of a lane. One is started when messages may start and no thread of the lane is about to take
 * them; a thread that finds none ends: the threads of the pool outlive it, so that each of many lanes with little traffic needs no own one.
 *
 * <p>No message waits for a thread that does not come. All decisions are made under the lock of the lane, and each change that may let a
 * message start is followed by {@link #startIfNeeded()}. It does not guess whether a message may start, but takes it, for the thread that
 * asks next. All methods require the lock.
 */
final class LaneThreads {
    private static final Logger LOG = LoggerFactory.getLogger(LaneThreads.class);
    /** The pause after a thread could not be started. */
    private static final long RETRY = Duration.ofSeconds(1).toNanos();

    private static final long MILLISECOND = Duration.ofMillis(1).toNanos();

    private final Object lock;
    private final Starts starts;
    private final LaneSettings settings;
    private final Clock clock;

    private Executor pool;
    private ScheduledExecutorService timer;
    private Runnable delivery;
    private boolean closed;

    /** Number of threads, with the one that is coming. */
    private int threads;
    /** Whether a thread is started that does not run yet. */
    private boolean oneIsComing;

    private boolean startFailed;
    /** What is taken for the thread that asks next. */
    private List<Delivery> taken = List.of();

    private Future<?> alarm;
    private long alarmAt;

    LaneThreads(Object lock, Starts starts, LaneSettings settings, Clock clock) {
        this.lock = lock;
        this.starts = starts;
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * Starts threads from now on.
     *
     * @param delivery runs on each of them: it calls {@link #next()} until there is no message
     */
    void open(Executor pool, ScheduledExecutorService timer, Runnable delivery) {
        this.pool = pool;
        this.timer = timer;
        this.delivery = delivery;
        startIfNeeded();
    }

    void close() {
        closed = true;
        taken = List.of();
        cancelAlarm();
    }

    /** Starts a thread if messages may start and no thread is about to take them. */
    void startIfNeeded() {
        boolean oneWillAsk = oneIsComing || threads == settings.maxThreads();
        if (pool == null || closed || oneWillAsk || startFailed) {
            return;
        }
        if (taken.isEmpty()) {
            taken = starts.attempt(clock.elapsedAtLeast());
        }
        if (taken.isEmpty()) {
            long now = clock.elapsed();
            setAlarm(now, starts.untilNext(now));
        } else {
            start();
        }
    }

    private void start() {
        try {
            pool.execute(this::run);
            threads++;
            oneIsComing = true;
        } catch (RejectedExecutionException
                | OutOfMemoryError e) { // OutOfMemoryError: the process has too many threads
            LOG.warn(
                    "Could not start a thread that delivers messages of subscription {}: {}. The next attempt is in 1 s",
                    settings.subscription(),
                    e.toString());
            startFailed = true;
            setAlarm(clock.elapsed(), RETRY);
        }
    }

    private void run() {
        synchronized (lock) {
            oneIsComing = false;
        }
        delivery.run();
    }

    /** The messages of the next attempt of the calling thread. If there are none, the thread must end. */
    List<Delivery> next() {
        List<Delivery> next = taken.isEmpty() ? starts.attempt(clock.elapsedAtLeast()) : taken;
        taken = List.of();
        if (next.isEmpty()) {
            threads--;
        }
        startIfNeeded();
        return next;
    }

    private static long millis(long nanos) {
        return nanos / MILLISECOND + 1;
    }

    /** Starts a thread if needed after a time. If there is an earlier alarm, it sets the next one. */
    private void setAlarm(long now, long nanos) {
        if (nanos == Long.MAX_VALUE || alarm != null && alarmAt - (now + nanos) < MILLISECOND) {
            return;
        }
        cancelAlarm();
        alarm = timer.schedule(this::alarm, millis(nanos), TimeUnit.MILLISECONDS);
        alarmAt = now + nanos;
    }

    private void alarm() {
        synchronized (lock) {
            alarm = null;
            startFailed = false;
            startIfNeeded();
        }
    }

    private void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
    }
}
