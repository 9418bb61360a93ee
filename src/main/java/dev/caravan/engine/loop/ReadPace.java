package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.LaneSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

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
    private long longestBusy;
    private final long sleepPause;
    private final Clock clock;

    private long nextAt;
    private long lastMessageAt;
    private boolean woken;
    private Runnable onWake = () -> {};
    private boolean reading;

    /**
     * @param lease the duration of the leases of the relay
     * @param saveInterval the longest pause while messages are in flight
     */
    ReadPace(Duration lease, Duration saveInterval, Clock clock) {
        longest =
                Math.min(LONGEST.toNanos(), LaneSettings.leaseRenewal(lease).toNanos()); // a turn renews the lease too
        longestBusy = Math.min(longest, saveInterval.toNanos());
        sleepPause = LaneSettings.pauseAsleep(lease).toNanos();
        this.clock = clock;
        nextAt = clock.nanos();
        lastMessageAt = nextAt;
    }

    /** The longest pause between two turns of a loop with these settings while the database answers. */
    public static Duration longest(LaneSettings settings) {
        return LONGEST.plus(settings.saveInterval()).plus(settings.pauseAsleep());
    }

    /** Limits the pauses while messages are in flight. */
    synchronized void pauseAtMost(Duration saveInterval) {
        longestBusy = Math.min(longestBusy, saveInterval.toNanos());
    }

    /** The longest pause while messages are in flight, in nanoseconds: not longer than the shortest save interval. */
    synchronized long longestBusy() {
        return longestBusy;
    }

    /** Waits until the next turn is due. */
    public synchronized void await() throws InterruptedException {
        for (long left = untilTurn(); left > 0; left = untilTurn()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** The time until the next turn is due, in nanoseconds; 0 or less if it is due. */
    synchronized long untilTurn() {
        if (woken) {
            woken = false;
            return 0;
        }
        return nextAt - clock.nanos();
    }

    /** Starts the next turn at once, and makes the pauses after it short. */
    public void wake() {
        Runnable listener;
        synchronized (this) {
            woken = true;
            lastMessageAt = clock.nanos();
            notifyAll();
            listener = onWake;
        }
        listener.run();
    }

    /** Sets what is called by {@link #wake}. It must return quickly. */
    synchronized void onWake(Runnable listener) {
        onWake = listener;
    }

    /** The time until the next turn unless it is woken, in nanoseconds. */
    synchronized long untilNext() {
        return nextAt - clock.nanos();
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

    /** Starts the next turn after a short pause: there were messages, but a read at once would hardly find more. */
    synchronized void soon() {
        again();
        pause(SHORTEST);
    }

    /**
     * Pauses, or sleeps, because there is nothing to do until a message is inserted. A sleep that ends at this moment wakes the loop all the same.
     *
     * @param maySleep whether the relay sleeps and has slept since before the read: only such a read has shown all messages that were inserted
     *     before the sleep
     */
    public synchronized void idle(boolean maySleep) {
        reading = true;
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
