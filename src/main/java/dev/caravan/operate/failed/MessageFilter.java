package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A filter of dead letters, waiting messages or discarded dead letters; an empty field matches all.
 *
 * @param subscription name of the subscription
 * @param types patterns of types with {@code *}, separated by commas
 * @param key the key
 * @param error text contained in the error class, the error text or the answer, ignoring case
 * @param since of dead letters: the last failure is at or after this time; of discarded ones, the discard
 * @param until of dead letters: the last failure is before this time; of discarded ones, the discard
 * @param group of dead letters: the group of their error
 * @param discard of discarded dead letters: id of the discard
 * @param failingSince of waiting messages: the first failure is at or before this time
 * @param blocked of waiting messages: whether to find messages behind an earlier message, instead of those that wait for another attempt
 */
public record MessageFilter(
        Optional<String> subscription,
        Optional<String> types,
        Optional<Key> key,
        Optional<String> error,
        Optional<Instant> since,
        Optional<Instant> until,
        Optional<ErrorGroup> group,
        Optional<UUID> discard,
        Optional<Instant> failingSince,
        boolean blocked) {

    /** Every message. Of the waiting ones, those that wait for another attempt. */
    public static final MessageFilter ALL = of(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** A filter by what all messages have in common. */
    public static MessageFilter of(
            Optional<String> subscription, Optional<String> types, Optional<Key> key, Optional<String> error) {
        return new MessageFilter(
                subscription,
                types,
                key,
                error,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    public MessageFilter between(Optional<Instant> start, Optional<Instant> end) {
        return new MessageFilter(subscription, types, key, error, start, end, group, discard, failingSince, blocked);
    }

    public MessageFilter inGroup(Optional<ErrorGroup> only) {
        return new MessageFilter(subscription, types, key, error, since, until, only, discard, failingSince, blocked);
    }

    public MessageFilter discardedBy(Optional<UUID> id) {
        return new MessageFilter(subscription, types, key, error, since, until, group, id, failingSince, blocked);
    }

    public MessageFilter waiting(Optional<Instant> sinceAtLeast, boolean behindOthers) {
        return new MessageFilter(
                subscription, types, key, error, since, until, group, discard, sinceAtLeast, behindOthers);
    }

    /** This filter, limited to messages before this time. */
    public MessageFilter before(Instant time) {
        return between(since, Optional.of(until.filter(time::isAfter).orElse(time)));
    }

    String[] likeTypes() {
        return TypePatterns.like(types.orElse("*"));
    }

    String keyType() {
        return key.map(Key::type).orElse(null);
    }

    String keyId() {
        return key.map(Key::id).orElse(null);
    }

    /** Null for all. */
    Long groupHash() {
        return group.map(ErrorGroup::hash).orElse(null);
    }

    Instant start() {
        return since.orElse(Instant.MIN);
    }

    Instant end() {
        return until.orElse(Instant.MAX);
    }
}
