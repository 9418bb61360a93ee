package dev.caravan.loop;

import dev.caravan.lane.Lane;
import dev.caravan.lane.Suspension;
import java.util.Optional;

/** Whether the route of a lane is suspended. A suspension finds the lane of a claim, or the claim finds the suspension. */
public final class RouteSuspension {
    private final LaneHolder holder;
    private boolean suspended;

    public RouteSuspension(LaneHolder holder) {
        this.holder = holder;
    }

    /** Starts nothing more; returns the lane if it is held. */
    public synchronized Optional<Lane> begin() {
        suspended = true;
        Optional<Lane> lane = Optional.ofNullable(holder.lane());
        lane.ifPresent(held -> held.suspend(Suspension.STOP));
        return lane;
    }

    /** Messages start again. */
    public synchronized void end() {
        suspended = false;
        Optional.ofNullable(holder.lane()).ifPresent(held -> held.resume(Suspension.STOP));
    }

    /** To be asked after a claim: a suspension that came before had no lane to suspend. */
    public synchronized boolean isSuspended() {
        return suspended;
    }
}
