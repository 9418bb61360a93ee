package dev.caravan.engine.lane;

import dev.caravan.engine.progress.SavedProgress;

/**
 * The state of a lane after a claim.
 *
 * @param epoch the epoch of the lease
 * @param leaseEnds when the lease ends at the earliest, on the clock of the lane ({@link dev.caravan.base.clock.Clock#elapsed()})
 * @param progress the saved progress
 * @param delivered the saved number of delivered messages
 * @param session the session that the claim has written
 */
public record LaneStart(long epoch, long leaseEnds, SavedProgress progress, long delivered, ProvenSession session) {}
