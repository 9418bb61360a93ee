package dev.caravan.engine.loop;

import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.store.SharedSave;
import dev.caravan.engine.store.SubscriptionStore.Saved;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A lane of a route as {@link TailLoop} sees it, whether or not this relay owns it. */
interface Follower extends LaneHolder {
    LaneCounters counters();

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
    Optional<SharedSave.Part> sharedSave();

    /** Records the result of a save together with other lanes; empty if the row of this lane was not changed. The lock must be held. */
    void savedTogether(Save save, Optional<Saved> saved);

    /** Records that a save together with other lanes has failed. The lock must be held. */
    void saveTogetherFailed(Save save);
}
