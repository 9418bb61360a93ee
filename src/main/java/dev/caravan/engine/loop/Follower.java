package dev.caravan.engine.loop;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.ProgressRow;
import dev.caravan.engine.store.RetryStore;
import dev.caravan.engine.store.SubscriptionStore.Saved;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lane of a route, whether or not this relay owns it, as {@link TailLoop} and the statements for all lanes see it. An interface, because
 * {@link LaneLoop} knows {@link TailLoop}, and classes must not know each other in a circle.
 */
interface Follower {
    LaneId id();

    LaneSettings settings();

    LaneCounters counters();

    LaneConnections connections();

    /** What a survey for several lanes needs to know of this one. */
    RetryStore.Asked asked();

    /** The lane, or null while this relay does not own it. Needs no lock. */
    Lane lane();

    /** Starts the next turn at once. Needs no lock. */
    void wake();

    /** Held during a turn. The tail only tries to obtain it: it never waits for a lane. */
    ReentrantLock lock();

    /** Whether a claim was tried since the start of the route. */
    boolean isDecided();

    /** Whether the lane waits for the tail to begin. */
    boolean waitsForTail();

    /** Begins the tail where this lane is; the tail must not be followed, and the lock be held. */
    void beginTail();

    /** Follows the tail that has just begun, unless the lane is behind it; the lock must be held. */
    void joinTail();

    /** Takes the new messages of the tail on this thread, if there are any for the lane, unless that needs the database or a turn is running. */
    void followNow();

    /** As {@link #followNow()}, also if none of the new messages is for the lane. */
    void catchUp();

    /** Whether this relay does not own the lane, or nothing is to be done in it until a message is inserted. Needs no lock. */
    boolean isQuiet();

    /** Whether a save is due. Needs no lock. */
    boolean saveIsDue();

    /** Whether the next turn has something to do that the tail does not do for all lanes. Needs no lock. */
    boolean needsTurn();

    /** What is to be saved together with other lanes. The lock must be held. */
    Optional<ProgressRow> sharedSave();

    /** Records the result of a save together with other lanes; empty if the row of this lane was not changed. The lock must be held. */
    void savedTogether(Save save, Optional<Saved> saved);

    /** Records that a save together with other lanes has failed. The lock must be held. */
    void saveTogetherFailed(Save save);
}
