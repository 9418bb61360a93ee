package dev.caravan.engine.progress;

import java.util.HashMap;
import java.util.Map;

/**
 * The highest id that each idle writer can have drawn. A writer that is idle at two observations, and between them, has drawn no id
 * since the first one, so none of its ids is above the last id of the second one. This bound holds while the writer stays idle; an id
 * that it draws later is higher than every id that is missing at that time. A prepared transaction is always idle. No I/O; not
 * thread-safe.
 */
final class IdleWriters {
    private static final String PREPARED = "prepared";

    private record Idle(String since, long highestDrawn) {}

    private Map<Writer, Idle> idle = new HashMap<>();

    /** Records the idle writers of one observation; each observation is a separate statement. */
    void observe(Writers now) {
        Map<Writer, Idle> next = new HashMap<>();
        now.idleSince().forEach((writer, since) -> next.put(writer, idle(writer, since, now.lastId())));
        now.open().stream()
                .filter(Writer::isPrepared)
                .forEach(writer -> next.put(writer, idle(writer, PREPARED, now.lastId())));
        idle = next;
    }

    private Idle idle(Writer writer, String since, long lastId) {
        Idle before = idle.get(writer);
        boolean stillIdle = before != null && before.since.equals(since);
        return new Idle(since, stillIdle ? Math.min(before.highestDrawn, lastId) : Long.MAX_VALUE);
    }

    /** Upper bound of the missing ids that the writer drew; {@link Long#MAX_VALUE} if unknown. */
    long highestDrawn(Writer writer) {
        Idle known = idle.get(writer);
        return known == null ? Long.MAX_VALUE : known.highestDrawn;
    }
}
