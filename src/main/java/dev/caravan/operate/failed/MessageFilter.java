package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.base.text.TimeRange;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
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
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MessageFilter(
        Optional<String> subscription,
        @JsonProperty("type") Optional<String> types,

        @JsonIgnore Optional<Key> key,

        Optional<String> error,
        Optional<Instant> since,
        Optional<Instant> until,
        Optional<ErrorGroup> group,
        Optional<UUID> discard,
        Optional<Instant> failingSince,
        @JsonIgnore boolean blocked) {

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

    /** This filter, limited to a range of time. */
    public MessageFilter between(TimeRange times) {
        return between(times.since(), times.until());
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

    /** The parameters of statements that search one subscription; a null matches all. */
    public Map<String, Object> parameters() {
        Map<String, Object> values = new HashMap<>();
        values.put("types", TypePatterns.like(types.orElse("*")));
        values.put("keyType", key.map(Key::type).orElse(null));
        values.put("keyId", key.map(Key::id).orElse(null));
        values.put("error", error.orElse(null));
        values.put("since", start());
        values.put("until", end());
        values.put("group", group.map(ErrorGroup::hash).orElse(null));
        values.put("discard", discard.orElse(null));
        values.put("failingSince", failingSince.orElse(null));
        values.put("blocked", blocked);
        return values;
    }

    public Instant start() {
        return since.orElse(Instant.MIN);
    }

    public Instant end() {
        return until.orElse(Instant.MAX);
    }

    @JsonProperty("key")
    Optional<String> keyText() {
        return key.map(Key::toString);
    }

    /** The fields that are not empty, by their names in the HTTP API. Those of blocked messages are not changed, so {@code blocked} is left out. */
    public Map<String, Object> fields() {
        return Json.fields(this);
    }

    /** Reads what {@link #fields} returned. */
    public static MessageFilter of(JsonNode fields) {
        return of(
                        text(fields, "subscription"),
                        text(fields, "type"),
                        text(fields, "key").map(text -> Key.parse(text).orElseThrow()),
                        text(fields, "error"))
                .between(
                        text(fields, "since").map(Instant::parse),
                        text(fields, "until").map(Instant::parse))
                .inGroup(
                        text(fields, "group").map(text -> ErrorGroup.parse(text).orElseThrow()))
                .discardedBy(text(fields, "discard").map(UUID::fromString))
                .waiting(text(fields, "failingSince").map(Instant::parse), false);
    }

    private static Optional<String> text(JsonNode fields, String name) {
        return Optional.ofNullable(fields.path(name).textValue());
    }
}
