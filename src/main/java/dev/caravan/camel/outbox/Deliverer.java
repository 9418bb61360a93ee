package dev.caravan.camel.outbox;

import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of a lane through the route, one exchange for each message or batch, until the lane is closed. Runs on its own
 * thread, outside any exchange, so that Camel runs the route immediately.
 */
final class Deliverer implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Deliverer.class);

    /** Supplies the attempts of a lane. */
    @FunctionalInterface
    interface Attempts {
        /** Waits until an attempt may begin, and returns it; null when the lane is closed. */
        Attempt next() throws InterruptedException;
    }

    private final LaneRoute lane;
    private final Attempts attempts;
    private final BooleanSupplier stopping;

    /** @param stopping whether the threads of the route are being stopped, so that an interruption is meant for this */
    Deliverer(LaneRoute lane, Attempts attempts, BooleanSupplier stopping) {
        this.lane = lane;
        this.attempts = attempts;
        this.stopping = stopping;
    }

    @Override
    public void run() {
        try {
            for (Attempt attempt = attempts.next(); attempt != null; attempt = attempts.next()) {
                attempt.begin();
                if (!stopping.getAsBoolean()) {
                    Thread.interrupted(); // a step may have left the flag set: the next wait would end this thread
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeLane(lane, e);
        } catch (Throwable e) { // otherwise the lane would deliver nothing more, without an error
            closeLane(lane, e);
        }
    }

    /**
     * Closes the lane, because a delivery thread has ended or the state of the lane may be wrong. The lane is claimed again and
     * continues from its last save.
     */
    static void closeLane(LaneRoute lane, Throwable reason) {
        if (!lane.lane().isClosed()) {
            lane.lane().close();
            LOG.error(
                    "Subscription {} stops one of its lanes, because a delivery thread failed with {}. The lane is claimed again"
                            + " when its lease expires; messages in flight may be delivered again",
                    lane.subscription(),
                    reason.getClass().getName(),
                    reason);
        }
    }
}
