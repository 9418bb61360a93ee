package dev.caravan.engine.loop;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;

/** What holds a lane of a route while this relay owns it, as the statements for all lanes see it. Thread-safe. */
interface LaneHolder {
    LaneId id();

    LaneSettings settings();

    LaneConnections connections();

    /** The lane, or null while this relay does not own it. */
    Lane lane();

    /** Starts the next turn at once. */
    void wake();
}
