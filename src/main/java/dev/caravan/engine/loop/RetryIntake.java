package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.store.RetryStore;
import java.util.List;
import java.util.function.Predicate;

/** Takes messages from the side tables into a lane. Not thread-safe. */
final class RetryIntake {
    /** Keys per step of the walk. One step per second takes some milliseconds; a million keys take about an hour. */
    private static final int KEYS = 250;

    private static final long FIRST_KEY = Long.MIN_VALUE;
    private static final long WALK_INTERVAL_NANOS = 1_000_000_000L;

    private final RetryStore retries;
    private final LaneSettings options;
    private final Predicate<String> types;
    private final Clock clock;
    private long nextKey = FIRST_KEY;
    private long walkedAt;

    RetryIntake(RetryStore retries, LaneSettings options, Clock clock) {
        this.retries = retries;
        this.options = options;
        types = TypePatterns.matching(options.types());
        this.clock = clock;
        walkedAt = clock.nanos();
    }

    /** Surveys the side tables for this lane if it cannot wait for the survey of all lanes; walks each second while messages wait. */
    void examine(Lane lane) {
        if (lane.surveyIsDue()) {
            lane.surveyed(retries.survey(options.order()));
        }
        if (lane.messagesWait() && clock.nanos() - walkedAt >= WALK_INTERVAL_NANOS) {
            walkedAt = clock.nanos();
            walk();
        }
    }

    /**
     * Examines the next few keys in {@code outbox_retry}, again from the first one after the last. Blocked messages that no other message
     * blocks become due. Saves leave no such messages, but an older version of Caravan, a changed {@code onDead} or a manual statement
     * can. If the clock of the database was set back, messages that failed before start their wait again.
     */
    private void walk() {
        nextKey = retries.walk(nextKey, KEYS).orElse(FIRST_KEY);
    }

    /** Takes messages that are due, and blocked messages that may follow. */
    void take(Lane lane) {
        int due = lane.dueLimit();
        if (due > 0) {
            lane.receivedDue(
                    marked(retries.due(lane.takenFromRetry(), due, options.batchBytes(), options.maxMessageBytes())));
        }
        List<Key> keys = lane.readyToFollow();
        if (!keys.isEmpty()) {
            lane.receivedFollowers(marked(retries.followers(
                    keys, options.batchSize(), options.batchBytes() / keys.size(), options.maxMessageBytes())));
        }
    }

    /** Marks those whose type the subscription selected when they were stored, but not any more: its route may be another one now. */
    private List<Delivery> marked(List<Delivery> found) {
        found.stream()
                .filter(delivery -> !types.test(delivery.message().type()))
                .forEach(Delivery::notSelected);
        return found;
    }
}
