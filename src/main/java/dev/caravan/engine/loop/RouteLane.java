package dev.caravan.engine.loop;

import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSnapshot;
import java.util.Optional;

/** A lane of a route of this relay, whether or not this relay owns it now. Thread-safe; no method accesses the database. */
public interface RouteLane {
    String subscription();

    /** Its number, from 0. */
    int number();

    /** The maximum number of its messages or batches in flight, unless it is pipelined. */
    int concurrency();

    /** The counters of this relay since the route was created; they continue when it claims the lane again. */
    LaneCounters counters();

    /** Whether the loop completes its turns. Takes no lock, so it also answers while the loop hangs. */
    LoopLiveness liveness();

    /** The state of the lane; empty if this relay does not own it. Waits for the lock of the lane. */
    Optional<LaneSnapshot> snapshot();
}
