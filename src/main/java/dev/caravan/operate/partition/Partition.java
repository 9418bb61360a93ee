package dev.caravan.operate.partition;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One partition of the outbox.
 *
 * @param name name of its table
 * @param ids its range of ids; for outbox_default the range of the ids in it, empty when it has no rows
 * @param rows estimate from statistics; empty before the first analyze
 * @param bytes size with indexes; empty when sizes were not requested
 * @param oldest creation time of the message with the lowest id; empty when it has no rows
 * @param newest creation time of the message with the highest id
 * @param holders the subscriptions that still need it
 */
@JsonPropertyOrder({"partition", "fromId", "toId"})
public record Partition(
        @JsonIgnore long oid,
        @JsonProperty("partition") String name,
        @JsonIgnore Optional<Ids> ids,
        @JsonProperty("rowsEstimate") OptionalLong rows,
        OptionalLong bytes,
        Optional<Instant> oldest,
        Optional<Instant> newest,
        State state,
        @JsonIgnore List<Holder> holders) {

    /** A range of ids, lower inclusive, upper exclusive. */
    public record Ids(long lower, long upper) {}

    /** Whether pruning may drop it. */
    public enum State {
        /** Ids are drawn from its range now. */
        CURRENT,
        /** No id of its range has been drawn yet. */
        AHEAD,
        /** outbox_default without rows, which is the normal state. */
        EMPTY,
        /** Its newest message is not older than the retention. */
        RETAINED,
        /** Older than the retention, but a subscription needs it, or no subscription has read it. */
        HELD_BACK,
        /** Older than the retention and delivered everywhere. */
        PRUNABLE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @JsonProperty
    Optional<Long> fromId() {
        return ids.map(Ids::lower);
    }

    @JsonProperty
    Optional<Long> toId() {
        return ids.map(range -> range.upper() - 1);
    }

    @JsonProperty
    List<Holder> heldBackBy() {
        return state == State.HELD_BACK ? holders : List.of();
    }
}
