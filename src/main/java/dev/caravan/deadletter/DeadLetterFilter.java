package dev.caravan.deadletter;

import dev.caravan.delivery.Key;
import dev.caravan.selection.TypePatterns;
import java.time.Instant;
import java.util.Optional;

/**
 * Which dead letters; what is empty does not restrict.
 *
 * @param subscription name of the subscription
 * @param types patterns of types with {@code *}, separated by commas
 * @param key the key
 * @param error text that the error class or the error text holds, in any case
 * @param since not failed for the last time before this
 * @param until failed for the last time before this
 */
public record DeadLetterFilter(
        Optional<String> subscription,
        Optional<String> types,
        Optional<Key> key,
        Optional<String> error,
        Optional<Instant> since,
        Optional<Instant> until) {

    /** Every dead letter. */
    public static DeadLetterFilter all() {
        return new DeadLetterFilter(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    String[] likeTypes() {
        return TypePatterns.like(types.orElse("*"));
    }
}
