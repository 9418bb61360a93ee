package dev.caravan.engine.loop;

import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.LaneReader;

/**
 * The objects that the loop of one lane uses.
 *
 * @param choice decides which lanes this relay owns; shared by the lanes of the subscription
 * @param failures shared by the lanes of the subscription
 * @param wakeUp shared by the lanes of the relay
 */
public record LoopParts(
        LaneId id,
        LoopSettings settings,
        LaneHolder holder,
        LaneReader reader,
        LaneChoice choice,
        LaneFailures failures,
        ReadPace pace,
        WakeUp wakeUp) {}
