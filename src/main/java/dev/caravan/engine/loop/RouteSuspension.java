package dev.caravan.engine.loop;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.Suspension;
import java.util.Optional;

/** Suspends a lane with its route. Thread-safe: if a suspension comes before a claim, the claim sees it. */
public final class RouteSuspension {
    private final LaneHolder holder;
    private boolean suspended;

    public RouteSuspension(LaneHolder holder) {
        this.holder = holder;
    }

    /** Starts no more messages; returns the lane if this relay owns it. */
    public synchronized Optional<Lane> begin() {
        suspended = true;
        Optional<Lane> lane = Optional.ofNullable(holder.lane());
        lane.ifPresent(held -> held.suspend(Suspension.STOP));
        return lane;
    }

    /** Starts messages again. */
    public synchronized void end() {
        suspended = false;
        Optional.ofNullable(holder.lane()).ifPresent(held -> held.resume(Suspension.STOP));
    }

    /** Must be checked after a claim: an earlier suspension had no lane to suspend. */
    public synchronized boolean isSuspended() {
        return suspended;
    }
}
