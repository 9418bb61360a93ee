package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import java.time.Duration;

/** A change of the side tables for one message, to be saved together with the progress. */
public sealed interface Change {
    Delivery delivery();

    /**
     * The message is to be retried.
     *
     * @param attempts number of counted failed attempts
     * @param delay the wait before the next attempt
     */
    record Retry(Delivery delivery, int attempts, Duration delay, Failure failure) implements Change {}

    /** The message is blocked by an earlier message of its key. */
    record Block(Delivery delivery) implements Change {}

    /** The message becomes a dead letter. */
    record Dead(Delivery delivery, int attempts, Failure failure) implements Change {}

    /** The message was in {@code outbox_retry} and is delivered. */
    record Remove(Delivery delivery) implements Change {}
}
