package dev.caravan.retry;

import dev.caravan.delivery.Key;
import dev.caravan.selection.TypePatterns;
import java.time.Instant;
import java.util.Optional;

/**
 * Which messages that wait; what is empty does not restrict.
 *
 * @param subscription name of the subscription
 * @param types patterns of types with {@code *}, separated by commas
 * @param key the key
 * @param error text that the error class or the error text holds, in any case
 * @param failingSince failed for the first time at or before this
 * @param blocked those that wait behind an earlier message; otherwise those that wait for another attempt
 */
public record WaitingFilter(
        Optional<String> subscription,
        Optional<String> types,
        Optional<Key> key,
        Optional<String> error,
        Optional<Instant> failingSince,
        boolean blocked) {

    /** Every message that waits for another attempt. */
    public static WaitingFilter all() {
        return new WaitingFilter(
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    String[] likeTypes() {
        return TypePatterns.like(types.orElse("*"));
    }
}
