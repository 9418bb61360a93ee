package dev.caravan.engine.progress;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The transactions that hold the insert lock on the outbox at one moment.
 *
 * @param open all of them
 * @param idleSince the start of the idle time of each writer that is known to be idle, as text that differs after each statement.
 *     Prepared transactions are left out: they are always idle
 * @param lastId the last id that was drawn, at the same moment
 */
public record Writers(Set<Writer> open, Map<Writer, String> idleSince, long lastId) {
    /** Writers of which none is known to be idle. */
    public Writers(Set<Writer> open) {
        this(open, Map.of(), Long.MAX_VALUE);
    }

    /**
     * The open writers that may be an earlier observed writer; empty if it has ended. A writer that had no transaction id may
     * have obtained any id since: it can also be any of the prepared transactions.
     */
    Set<Writer> possible(Writer earlier) {
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
