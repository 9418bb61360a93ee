package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Schedule;
import java.util.List;

/**
 * Decides which messages of a lane start now: the lease must hold, the rate must have a permit for each message, and a batch may wait
 * until it is larger. All times are nanoseconds of the lane's clock.
 */
final class Starts {
    private final LaneSettings options;
    private final Permission permission;
    private final RateShare rate;
    private final Schedule schedule;
    private final Window window;
    private final RetryState retryState;
    private final Reading reading;

    private boolean batchWaits;
    private long batchWaitsSince;

    Starts(
            LaneSettings options,
            Permission permission,
            RateShare rate,
            Schedule schedule,
            Window window,
            RetryState retryState,
            Reading reading) {
        this.options = options;
        this.permission = permission;
        this.rate = rate;
        this.schedule = schedule;
        this.window = window;
        this.retryState = retryState;
        this.reading = reading;
    }

    /**
     * The next messages to start as one attempt: one, or a batch if the route has batches; empty if none may start now. Each message needs a
     * permit of the rate.
     */
    List<Delivery> attempt(long now) {
        boolean canStart = mayStart(now) && (!rate.isLimited() || schedule.canStart()) && untilFilled(now) == 0;
        if (!canStart) {
            rate.stopWaiting();
            return List.of();
        }
        int permits = rate.take(options.batching().messages());
        if (permits == 0) {
            return List.of();
        }
        List<Delivery> attempt = schedule.nextBatch(permits, options.batching().bytes(), now, freshBelow());
        rate.giveBack(permits - attempt.size());
        if (!attempt.isEmpty()) {
            batchWaits = false;
        }
        return attempt;
    }

    /** Whether the lane may start messages. While messages wait, it must be found out when it may. */
    private boolean mayStart(long now) {
        if (schedule.size() > schedule.started()) {
            permission.needProof(now);
        }
        return permission.mayStart(now);
    }

    /** The time until messages may start; {@link Long#MAX_VALUE} if only an event can let them start. */
    long untilNext(long now) {
        if (!mayStart(now)) {
            return Long.MAX_VALUE;
        }
        long untilFilled = untilFilled(now);
        if (untilFilled > 0) {
            return untilFilled;
        }
        return rate.isWaiting() ? rate.untilPermit() : schedule.untilNextProbe(now);
    }

    /** How long messages that may start still wait for others; 0 if a batch may start now, or if no message may start. */
    private long untilFilled(long now) {
        long maxWait = options.batching().maxWait().toNanos();
        if (maxWait == 0 || !schedule.hasReady() || isFull()) {
            return 0;
        }
        if (!batchWaits) {
            batchWaits = true;
            batchWaitsSince = now;
        }
        return Math.max(0, batchWaitsSince + maxWait - now);
    }

    /** Whether waiting has no use: there are enough messages, no more will be read, or the destination is being tested. */
    private boolean isFull() {
        return schedule.size() - schedule.started() >= options.batching().messages()
                || !window.hasRoom()
                || schedule.availability().isTesting();
    }

    /** With order=strict, no new message starts above a missing id, a waiting message or a dead letter. */
    private long freshBelow() {
        if (options.order() != Order.strict) {
            return Long.MAX_VALUE;
        }
        return Math.min(retryState.lowest(), reading.lowestMissing());
    }
}
