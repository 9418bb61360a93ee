package dev.caravan.operate.replay;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A filter of the messages to replay; an empty field matches all.
 *
 * @param fromId lowest id
 * @param toId highest id
 * @param since written to the outbox at or after this time
 * @param until written to the outbox before this time
 * @param types patterns of types with {@code *}, separated by commas
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ReplayFilter(
        Optional<Long> fromId,
        Optional<Long> toId,
        Optional<Instant> since,
        Optional<Instant> until,
        Optional<String> types,

        @JsonIgnore Optional<Key> key) {

    /** Whether no id is in the range of ids. */
    public boolean isEmptyRange() {
        return fromId.isPresent() && toId.isPresent() && fromId.get() > toId.get();
    }

    String[] likeTypes() {
        return TypePatterns.like(types.orElse("*"));
    }

    @JsonProperty("key")
    Optional<String> keyText() {
        return key.map(Key::toString);
    }

    /** The fields that are not empty, by name; for the audit. */
    public Map<String, Object> fields() {
        return Json.fields(this);
    }

    /** Reads what {@link #fields} returned; {@code upToId} replaces {@code toId}. */
    static ReplayFilter of(JsonNode fields) {
        return new ReplayFilter(
                text(fields, "fromId").map(Long::valueOf),
                text(fields, "upToId").map(Long::valueOf),
                text(fields, "since").map(Instant::parse),
                text(fields, "until").map(Instant::parse),
                text(fields, "types"),
                text(fields, "key").map(text -> Key.parse(text).orElseThrow()));
    }

    private static Optional<String> text(JsonNode fields, String name) {
        return fields.hasNonNull(name) ? Optional.of(fields.get(name).asText()) : Optional.empty();
    }
}
