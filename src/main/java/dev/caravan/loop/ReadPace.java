package dev.caravan.loop;

import dev.caravan.clock.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * When the turns of a subscription come: at once while there are messages; while there are none, after pauses that grow with the
 * time since the last message; and while the relay sleeps, rarely, until it is woken. One thread waits and tells how its turns
 * ended; any thread may wake it.
 */
public final class ReadPace {
    public static final long SHORTEST_MILLIS = 5;

    /** A message that comes after a quiet time waits for a tenth of that time at most. */
    private static final int PART_OF_QUIET_TIME = 10;

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(SHORTEST_MILLIS);

    private final long longest;
    private final long longestAtWork;
    private final long asleep;
    private final LongSupplier currentNap;
    private final Clock clock;

    private long nextAt;
    private long flowedAt;
    private boolean woken;
    private boolean reading;

    /** @param currentNap the number of the nap that the relay takes, see {@link WakeUp#nap()} */
    public ReadPace(LoopSettings settings, LongSupplier currentNap) {
        long renewal = settings.lane().leaseRenewal().toNanos(); // a turn renews the lease too
        longest = Math.min(settings.longestPause().toNanos(), renewal);
        longestAtWork = Math.min(longest, settings.lane().saveInterval().toNanos());
        asleep = settings.sleepPause().toNanos();
        this.currentNap = currentNap;
        clock = settings.clock();
        nextAt = clock.nanos();
        flowedAt = nextAt;
    }

    /** Waits until the next turn is due. */
    public synchronized void await() throws InterruptedException {
        for (long left = nextAt - clock.nanos(); left > 0 && !woken; left = nextAt - clock.nanos()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        woken = false;
    }

    /** Makes the next turn come at once, and those after it soon. */
    public synchronized void wake() {
        woken = true;
        flowedAt = clock.nanos();
        notifyAll();
    }

    /** Whether the last turn was a read. */
    synchronized boolean isReading() {
        return reading;
    }

    /** There are messages: the next turn comes at once. */
    public synchronized void again() {
        reading = true;
        flowedAt = clock.nanos();
        nextAt = flowedAt;
    }

    /**
     * There are no messages, and nothing is to be done until there are.
     *
     * @param nap which nap the relay took before it was read: only such a read shows what was written before the nap
     */
    public synchronized void idle(long nap) {
        reading = true;
        boolean maySleep = nap != WakeUp.AWAKE && nap == currentNap.getAsLong();
        pause(maySleep ? asleep : idlePause(longest));
    }

    /** There are no new messages, but others are on their way, wait, or are still to be saved. */
    public synchronized void waiting() {
        reading = true;
        pause(idlePause(longestAtWork));
    }

    private long idlePause(long limit) {
        long quiet = clock.nanos() - flowedAt;
        return Math.min(limit, Math.max(SHORTEST, quiet / PART_OF_QUIET_TIME));
    }

    /** Nothing could be read. */
    public synchronized void pause(Duration time) {
        reading = false;
        pause(time.toNanos());
    }

    private void pause(long nanos) {
        nextAt = clock.nanos() + nanos;
    }
}
