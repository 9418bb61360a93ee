package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.LaneOptions;
import dev.caravan.engine.lane.RateLimit;
import dev.caravan.engine.store.Start;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of an endpoint and of the component that the loop of a subscription uses.
 *
 * @param lanes the number of lanes in the route
 * @param types message types to deliver, separated by commas; {@code *} matches any characters
 * @param start where a new subscription starts
 * @param relay the name of this relay
 * @param longestPause the longest pause between two reads while nothing is inserted
 * @param sleepPause the pause between two reads while the relay sleeps
 * @param presence whether this relay and others are running
 * @param rate how many attempts of the lanes of this relay may start; empty without a limit
 * @param clock the clock for pauses and leases
 */
public record LoopSettings(
        String subscription,
        int lanes,
        String types,
        Start start,
        String relay,
        Duration lease,
        LaneOptions lane,
        Duration longestPause,
        Duration sleepPause,
        Presence presence,
        Optional<RateLimit> rate,
        Clock clock) {
    /** Settings without presence and rate. */
    public LoopSettings(
            String subscription,
            int lanes,
            String types,
            Start start,
            String relay,
            Duration lease,
            LaneOptions lane,
            Duration longestPause,
            Duration sleepPause,
            Clock clock) {
        this(
                subscription,
                lanes,
                types,
                start,
                relay,
                lease,
                lane,
                longestPause,
                sleepPause,
                Presence.off(clock),
                Optional.empty(),
                clock);
    }
}
