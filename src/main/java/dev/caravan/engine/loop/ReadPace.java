package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.LaneSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Determines when the next turn of a lane starts: at once while there are messages; without messages, after a pause that grows
 * with the time since the last message; rarely while the relay sleeps. One thread waits and reports the result of its turns; any
 * thread may wake it.
 */
public final class ReadPace {
    public static final long SHORTEST_MILLIS = 5;

    /** The longest pause between two reads while nothing is inserted and the relay does not sleep. */
    private static final Duration LONGEST = Duration.ofMillis(100);

    /** A pause is at most a tenth of the time since the last message. */
    private static final int PART_OF_QUIET_TIME = 10;

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(SHORTEST_MILLIS);

    private final long longest;
    private final long longestBusy;
    private final long sleepPause;
    private final LongSupplier sleepNumber;
    private final Clock clock;

    private long nextAt;
    private long lastMessageAt;
    private boolean woken;
    private boolean reading;

    /** @param sleepNumber the current sleep of the relay, see {@link WakeUp#sleepNumber()} */
    ReadPace(LaneSettings settings, LongSupplier sleepNumber, Clock clock) {
        longest = Math.min(LONGEST.toNanos(), settings.leaseRenewal().toNanos()); // a turn renews the lease too
        longestBusy = Math.min(longest, settings.saveInterval().toNanos());
        sleepPause = settings.pauseAsleep().toNanos();
        this.sleepNumber = sleepNumber;
        this.clock = clock;
        nextAt = clock.nanos();
        lastMessageAt = nextAt;
    }

    /** The longest pause between two turns of a loop with these settings while the database answers. */
    public static Duration longest(LaneSettings settings) {
        return LONGEST.plus(settings.saveInterval()).plus(settings.pauseAsleep());
    }

    /** Waits until the next turn is due. */
    public synchronized void await() throws InterruptedException {
        for (long left = nextAt - clock.nanos(); left > 0 && !woken; left = nextAt - clock.nanos()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        woken = false;
    }

    /** Starts the next turn at once, and makes the pauses after it short. */
    public synchronized void wake() {
        woken = true;
        lastMessageAt = clock.nanos();
        notifyAll();
    }

    /** Whether the last turn was a read. */
    synchronized boolean isReading() {
        return reading;
    }

    /** Starts the next turn at once, because there are messages. */
    public synchronized void again() {
        reading = true;
        lastMessageAt = clock.nanos();
        nextAt = lastMessageAt;
    }

    /**
     * Pauses, or sleeps, because there is nothing to do until a message is inserted.
     *
     * @param sleepBeforeRead the sleep of the relay before the read: only a read during the current sleep has shown all messages
     *     inserted before it
     */
    public synchronized void idle(long sleepBeforeRead) {
        reading = true;
        boolean maySleep = sleepBeforeRead != WakeUp.AWAKE && sleepBeforeRead == sleepNumber.getAsLong();
        pause(maySleep ? sleepPause : idlePause(longest));
    }

    /** Pauses, because there are no new messages, but others are in flight, waiting, or not saved. */
    public synchronized void waiting() {
        reading = true;
        pause(idlePause(longestBusy));
    }

    private long idlePause(long limit) {
        long quiet = clock.nanos() - lastMessageAt;
        return Math.min(limit, Math.max(SHORTEST, quiet / PART_OF_QUIET_TIME));
    }

    /** Pauses for a time after a turn without a read. */
    public synchronized void pause(Duration time) {
        reading = false;
        pause(time.toNanos());
    }

    private void pause(long nanos) {
        nextAt = clock.nanos() + nanos;
    }
}
