package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Determines when a relay has lost its session so often that it works without one for a while. Not thread-safe. */
final class LossLimit {
    /** Number of losses within {@link #PERIOD} that end the presence. */
    static final int LOSSES = 10;

    static final Duration PERIOD = Duration.ofMinutes(1);
    /** How long the relay then works without a session. */
    static final Duration PAUSE = Duration.ofMinutes(5);

    private final Clock clock;
    private final Deque<Long> losses = new ArrayDeque<>();

    LossLimit(Clock clock) {
        this.clock = clock;
    }

    /** Records a loss; returns whether the limit is reached. */
    boolean lost() {
        long now = clock.nanos();
        losses.add(now);
        losses.removeIf(at -> now - at >= PERIOD.toNanos());
        boolean reached = losses.size() >= LOSSES;
        if (reached) {
            losses.clear();
        }
        return reached;
    }
}
