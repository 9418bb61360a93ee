package dev.caravan.component;

import dev.caravan.lane.LaneStats;

/** A lane that a route of this relay works, or would if no other relay did. Any thread may ask; nothing here asks the database. */
public interface WorkedLane {
    String subscription();

    /** Its number, from 0. */
    int number();

    /** What it has done since its route was started. */
    LaneStats stats();

    /** How it is doing now. */
    LaneSnapshot snapshot();
}
