package dev.caravan.component;

import dev.caravan.lane.LaneState;
import java.time.Duration;
import java.util.Optional;

/**
 * How a lane of this relay is doing at one moment.
 *
 * @param polls whether its loop is to turn now: not while its route is suspended, nor with an end by {@code repeatCount}
 * @param pollAge time since the last turn of the loop was completed, whatever it did, or since it began
 * @param longestPause how long its options let the loop pause or wait between two turns
 * @param held how it is doing, if this relay has its lease
 */
public record LaneSnapshot(boolean polls, Duration pollAge, Duration longestPause, Optional<LaneState> held) {}
