package dev.caravan.lane;

import dev.caravan.progress.SavedProgress;

/**
 * What a relay has when it takes a lane.
 *
 * @param epoch the epoch of the lease
 * @param leaseEnds when the lease ends at the earliest, on the clock of the lane ({@link dev.caravan.clock.Clock#elapsed()})
 * @param progress where the lane stands
 * @param delivered how many messages it has delivered so far
 */
public record LaneStart(long epoch, long leaseEnds, SavedProgress progress, long delivered) {}
