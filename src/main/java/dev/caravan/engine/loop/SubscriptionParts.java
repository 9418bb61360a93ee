package dev.caravan.engine.loop;

import dev.caravan.engine.lane.RateLimit;
import java.util.Optional;

/**
 * What the lanes of one subscription in this relay share.
 *
 * @param choice decides which lanes this relay owns
 * @param rate how many attempts may start; empty without a limit
 */
public record SubscriptionParts(LaneChoice choice, LaneFailures failures, Optional<RateLimit> rate) {}
