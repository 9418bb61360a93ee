package dev.caravan.engine.loop;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.Suspension;
import java.time.Duration;

/**
 * Hands a lane over to another relay: the lane starts no more messages, and is released when none of its messages is in flight,
 * so that no message is repeated and the order is preserved. Not thread-safe.
 */
public final class Handover {
    /** How long a lane may be stopped while it waits for a message in flight. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final LaneHolder holder;
    private final LaneChoice choice;
    private final int number;
    private final LoopSettings settings;
    private boolean begun;
    private long since;

    /** @param number the number of the lane */
    public Handover(LaneHolder holder, LaneChoice choice, int number, LoopSettings settings) {
        this.holder = holder;
        this.choice = choice;
        this.number = number;
        this.settings = settings;
    }

    /** Whether the lane is to be handed over. */
    public boolean isDue() {
        return holder.isDraining() || choice.shouldHandOver(number);
    }

    /** Begins or continues the handover; returns whether the lane is released. */
    public boolean step() throws InterruptedException {
        Lane lane = holder.lane();
        if (!begun) {
            begun = true;
            since = settings.clock().nanos();
            lane.suspend(Suspension.HANDOVER);
        }
        if (lane.awaitAttempts(settings.lane().saveInterval())) {
            holder.release(Suspension.HANDOVER, Duration.ZERO);
            begun = false;
            return true;
        }
        holder.settleAndSave();
        if (!holder.isDraining() && settings.clock().nanos() - since >= LONGEST_WAIT.toNanos()) {
            choice.postponeHandovers();
        }
        return false;
    }

    /** Ends a handover that is no longer due; the lane continues. */
    public void cancel() {
        if (begun) {
            begun = false;
            holder.lane().resume(Suspension.HANDOVER);
        }
    }

    /** Discards the state of a handover, because the lane was lost meanwhile. */
    public void reset() {
        begun = false;
    }
}
