package dev.caravan.loop;

import dev.caravan.lane.Lane;
import dev.caravan.lane.Suspension;
import java.time.Duration;

/**
 * Gives a lane to another relay: it starts nothing more and is released when nothing is on its way, so that nothing is repeated
 * and no order is broken. Used by one thread at a time.
 */
public final class Handover {
    /** How long a lane may stand still for a delivery that is on its way. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final LaneHolder holder;
    private final LaneChoice choice;
    private final int number;
    private final LoopSettings settings;
    private boolean begun;
    private long since;

    /** @param number of the lane */
    public Handover(LaneHolder holder, LaneChoice choice, int number, LoopSettings settings) {
        this.holder = holder;
        this.choice = choice;
        this.number = number;
        this.settings = settings;
    }

    /** Whether the lane is to be given away. */
    public boolean isDue() {
        return holder.isDraining() || choice.shouldHandOver(number);
    }

    /** Begins or goes on; returns whether the lane is released. */
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
        if (!holder.isDraining() && settings.clock().nanos() - since >= PATIENCE.toNanos()) {
            choice.keep();
        }
        return false;
    }

    /** The lane is not to be given away any more. */
    public void cancel() {
        if (begun) {
            begun = false;
            holder.lane().resume(Suspension.HANDOVER);
        }
    }

    /** The lane was lost while it was to be given away. */
    public void forget() {
        begun = false;
    }
}
