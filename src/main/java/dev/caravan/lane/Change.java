package dev.caravan.lane;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Failure;
import java.time.Duration;

/** What has to be written about one message that was not simply delivered, together with the progress. */
public sealed interface Change {
    Delivery delivery();

    /**
     * It is to be tried again.
     *
     * @param attempts how many attempts have failed and were counted
     * @param delay how long it waits
     */
    record Retry(Delivery delivery, int attempts, Duration delay, Failure failure) implements Change {}

    /** It waits behind an earlier message of its key. */
    record Block(Delivery delivery) implements Change {}

    /** It is not tried again unless a person retries it. */
    record Dead(Delivery delivery, int attempts, Failure failure) implements Change {}

    /** It came from {@code outbox_retry} and is delivered. */
    record Remove(Delivery delivery) implements Change {}
}
