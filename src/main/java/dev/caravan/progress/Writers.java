package dev.caravan.progress;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The transactions that hold the lock of an insert on the outbox at one moment.
 *
 * @param open all of them
 * @param idleSince for those that are known to execute nothing at this moment, since when; in any form that is another one after
 *     each statement. A prepared one needs none: it executes nothing
 * @param lastId the last id that was drawn, at the same look
 */
public record Writers(Set<Writer> open, Map<Writer, String> idleSince, long lastId) {
    /** Of none of them is known more. */
    public Writers(Set<Writer> open) {
        this(open, Map.of(), Long.MAX_VALUE);
    }

    /**
     * Whoever an earlier writer can be now; nobody if it has ended. One that had no transaction id is not recognised by the id that
     * it gets: it can be any prepared one, too.
     */
    Set<Writer> now(Writer earlier) {
        if (open.contains(earlier)) {
            return Set.of(earlier);
        }
        if (earlier.hasTransactionId()) {
            Writer prepared = Writer.prepared(earlier.transactionId());
            return open.contains(prepared) ? Set.of(prepared) : Set.of();
        }
        Set<Writer> possible = new HashSet<>(open);
        possible.removeIf(writer -> !writer.isPrepared() && !writer.virtualId().equals(earlier.virtualId()));
        return possible;
    }
}
