package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import java.time.Instant;
import java.util.Optional;

/**
 * A filter of dead letters; an empty field matches all.
 *
 * @param subscription name of the subscription
 * @param types patterns of types with {@code *}, separated by commas
 * @param key the key
 * @param error text contained in the error class, the error text or the answer, ignoring case
 * @param since the last failure is at or after this time
 * @param until the last failure is before this time
 * @param group the group of their error
 */
public record DeadLetterFilter(
        Optional<String> subscription,
        Optional<String> types,
        Optional<Key> key,
        Optional<String> error,
        Optional<Instant> since,
        Optional<Instant> until,
        Optional<ErrorGroup> group) {

    /** Every dead letter. */
    public static DeadLetterFilter all() {
        return new DeadLetterFilter(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** This filter, limited to dead letters whose last failure is before this time. */
    DeadLetterFilter before(Instant time) {
        return new DeadLetterFilter(
                subscription,
                types,
                key,
                error,
                since,
                Optional.of(until.filter(time::isAfter).orElse(time)),
                group);
    }

    String[] likeTypes() {
        return TypePatterns.like(types.orElse("*"));
    }
}
