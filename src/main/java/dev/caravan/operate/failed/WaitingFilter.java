package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import java.time.Instant;
import java.util.Optional;

/**
 * A filter of waiting messages; an empty field matches all.
 *
 * @param subscription name of the subscription
 * @param types patterns of types with {@code *}, separated by commas
 * @param key the key
 * @param error text contained in the error class, the error text or the answer, ignoring case
 * @param failingSince the first failure is at or before this time
 * @param blocked whether to find messages behind an earlier message, instead of those that wait for another attempt
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
