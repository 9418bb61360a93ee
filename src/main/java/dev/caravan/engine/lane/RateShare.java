package dev.caravan.engine.lane;

import java.time.Duration;
import java.util.Optional;

/** The share of one lane in the rate of its subscription. Each attempt needs a permit; without a rate there is always one. Thread-safe. */
public interface RateShare {
    /** A lane without a rate. */
    RateShare UNLIMITED = new RateShare() {};

    /**
     * The use of a share.
     *
     * @param limit the rate of the subscription
     * @param perSecond attempts of this lane per second, measured over the last seconds; with a slow rate over the time of a few
     *     attempts
     * @param waited whether messages have waited for a permit
     * @param unused the time in which the unused permits of the lane have accumulated
     */
    record Use(Rate limit, double perSecond, boolean waited, Duration unused) {}

    default boolean isLimited() {
        return false;
    }

    /**
     * Takes permits for attempts that start now. Without a permit, the lane waits for one from now on, in the order of such calls
     * of the lanes of this relay.
     *
     * @param wanted at least 1
     * @return the number of permits taken, from 0 to {@code wanted}
     */
    default int take(int wanted) {
        return wanted;
    }

    /** Returns permits that were just taken and not used. */
    default void giveBack(int permits) {}

    /** Ends the wait for a permit, because no message of this lane is ready to start. */
    default void stopWaiting() {}

    /** Whether this lane waits for a permit: {@link #take} returned none, and {@link #stopWaiting} has not been called since. */
    default boolean isWaiting() {
        return false;
    }

    /**
     * Time until {@link #take} should be called again, in nanoseconds: until there are permits for this lane and those before it;
     * at most a second.
     */
    default long untilPermit() {
        return 0;
    }

    /** Releases the share, because the lane is closed or about to be released. The next {@link #take} obtains it again. */
    default void leave() {}

    /** The use of this share since the last call; empty without a rate. */
    default Optional<Use> use() {
        return Optional.empty();
    }
}
