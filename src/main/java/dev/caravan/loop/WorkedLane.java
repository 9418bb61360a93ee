package dev.caravan.loop;

import dev.caravan.lane.LaneState;
import dev.caravan.lane.LaneStats;
import java.util.Optional;

/** A lane that a route of this relay works, or would if no other relay did. Any thread may ask; nothing here asks the database. */
public interface WorkedLane {
    String subscription();

    /** Its number, from 0. */
    int number();

    /** What it has done since its route was started. */
    LaneStats stats();

    /** How its loop turns now. Waits for nothing, also not for a lane that hangs. */
    LaneTurns turns();

    /** How the lane is doing now, if this relay has its lease. Waits while the lane does something. */
    Optional<LaneState> held();
}
