package dev.caravan.loop;

import dev.caravan.clock.Clock;
import dev.caravan.lane.LaneOptions;
import dev.caravan.store.Start;
import java.time.Duration;

/**
 * What the loop of a subscription has to know of the options of its endpoint and of the component.
 *
 * @param lanes how many, as the route says
 * @param types those to deliver, separated by commas, with {@code *} for any characters
 * @param start where a new subscription starts
 * @param relay the name of this relay
 * @param longestPause between two reads while nothing is written
 * @param sleepPause between two reads while the relay sleeps
 * @param clock by which it pauses and its leases end
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
        Clock clock) {}
