package dev.caravan.engine.loop;

import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;

/**
 * What belongs to one lane, whether this relay owns it or not.
 *
 * @param wake starts the next turn of the lane at once
 */
record LaneParts(LaneId id, LaneSettings settings, LaneConnections connections, Runnable wake) {}
