package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.Suspension;
import java.time.Duration;

/**
 * Whether a lane is handed over to another relay. It then starts no more messages, and is released when none of its messages is in
 * flight, so that no message is repeated and the order is preserved. Not thread-safe.
 */
final class Handover {
    /** How long a lane may be stopped while it waits for a message in flight. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final LaneChoice choice;
    private final int number;
    private final Clock clock;
    private boolean begun;
    private long since;

    /** @param number the number of the lane */
    Handover(LaneChoice choice, int number, Clock clock) {
        this.choice = choice;
        this.number = number;
        this.clock = clock;
    }

    /** @param draining whether the number of lanes is being changed, so that each lane must be released */
    boolean isDue(boolean draining) {
        return draining || choice.shouldHandOver(number);
    }

    /** Begins a handover that has not begun. */
    void begin(Lane lane) {
        if (!begun) {
            begun = true;
            since = clock.nanos();
            lane.suspend(Suspension.HANDOVER);
        }
    }

    /** The lane still has messages in flight: if that takes too long, it is handed over later, unless it must be. */
    void waits(boolean draining) {
        if (!draining && clock.nanos() - since >= LONGEST_WAIT.toNanos()) {
            choice.postponeHandovers();
        }
    }

    /** Ends a handover that is no longer due; the lane continues. */
    void cancel(Lane lane) {
        if (begun) {
            begun = false;
            lane.resume(Suspension.HANDOVER);
        }
    }

    /** The lane is released or lost. */
    void reset() {
        begun = false;
    }
}
