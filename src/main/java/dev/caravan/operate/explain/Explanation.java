package dev.caravan.operate.explain;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Why a message is not delivered to the destination of one subscription.
 *
 * @param subscription empty if the reason concerns all of them
 * @param id the message
 * @param reasons all reasons that apply; the one to act on comes first
 * @param expectedAt the earliest time of its delivery, by the current rate or the time of its next attempt; empty if unknown
 */
public record Explanation(
        Optional<String> subscription, long id, List<WaitReason> reasons, Optional<Instant> expectedAt) {}
