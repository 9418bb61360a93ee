package dev.caravan.engine.loop;

import dev.caravan.base.message.Key;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneOptions;
import dev.caravan.engine.store.RetryStore;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Takes messages from the side tables into a lane. Not thread-safe. */
final class RetryIntake {
    private final RetryStore retries;
    private final LaneOptions options;
    private final KeyWalk keyWalk;

    RetryIntake(RetryStore retries, LaneOptions options) {
        this.retries = retries;
        this.options = options;
        keyWalk = new KeyWalk(retries);
    }

    /** The given keys whose new messages must wait for messages in the side tables. */
    Set<Key> waiting(Collection<Key> keys) {
        return retries.waiting(keys);
    }

    /** Queries whether the side tables contain messages of the lane. */
    void survey(Lane lane) {
        lane.surveyed(retries.survey(options.order()));
    }

    /** Surveys the side tables periodically, because people or other tools may have changed them. */
    void surveyIfDue(Lane lane) {
        if (lane.surveyIsDue()) {
            survey(lane);
            if (lane.messagesWait()) {
                keyWalk.step();
            }
        }
    }

    /** Takes messages that are due, and blocked messages that may follow. */
    void take(Lane lane) {
        int due = lane.dueLimit();
        if (due > 0) {
            lane.receivedDue(retries.due(lane.takenFromRetry(), due, options.batchBytes(), options.maxMessageBytes()));
        }
        List<Key> keys = lane.readyToFollow();
        if (!keys.isEmpty()) {
            lane.receivedFollowers(retries.followers(
                    keys, options.batchSize(), options.batchBytes() / keys.size(), options.maxMessageBytes()));
        }
    }
}
