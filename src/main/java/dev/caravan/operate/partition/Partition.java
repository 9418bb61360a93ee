package dev.caravan.operate.partition;

import java.time.Instant;
import java.util.List;
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
public record Partition(
        long oid,
        String name,
        Optional<Ids> ids,
        OptionalLong rows,
        OptionalLong bytes,
        Optional<Instant> oldest,
        Optional<Instant> newest,
        State state,
        List<Holder> holders) {

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
        PRUNABLE
    }
}
