package dev.caravan.loop;

import dev.caravan.delivery.Key;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneOptions;
import dev.caravan.store.RetryStore;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Brings what waits in the side tables back into a lane. Used by one thread at a time. */
final class RetryIntake {
    private final RetryStore retries;
    private final LaneOptions options;
    private final KeyWalk keyWalk;

    RetryIntake(RetryStore retries, LaneOptions options) {
        this.retries = retries;
        this.options = options;
        keyWalk = new KeyWalk(retries);
    }

    /** Those of some keys whose fresh messages have to wait. */
    Set<Key> waiting(Collection<Key> keys) {
        return retries.waiting(keys);
    }

    /** Looks whether the side tables hold anything. */
    void survey(Lane lane) {
        lane.surveyed(retries.survey(options.order()));
    }

    /** Looks from time to time, for what people or other tools changed. */
    void surveyIfDue(Lane lane) {
        if (lane.surveyIsDue()) {
            survey(lane);
            if (lane.messagesWait()) {
                keyWalk.step();
            }
        }
    }

    /** Takes in what may be tried again, or follow something that was. */
    void take(Lane lane) {
        int due = lane.dueLimit();
        if (due > 0) {
            lane.receivedDue(retries.due(lane.takenFromRetry(), due, options.batchBytes()));
        }
        List<Key> keys = lane.readyToFollow();
        if (!keys.isEmpty()) {
            lane.receivedFollowers(retries.followers(keys, options.batchSize(), options.batchBytes() / keys.size()));
        }
    }
}
