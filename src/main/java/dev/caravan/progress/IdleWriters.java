package dev.caravan.progress;

import java.util.HashMap;
import java.util.Map;

/**
 * Up to which id writers that stand still can have drawn. One that executed nothing at two looks, and nothing between them, has
 * drawn no id that was drawn since the first look: so none above the last id that the second look showed. A prepared
 * transaction never executes anything. What a writer draws when it goes on is higher than every id that is missing by then.
 * No I/O; one thread at a time.
 */
final class IdleWriters {
    private static final String FOR_EVER = "prepared";

    private record Idle(String since, long drewUpTo) {}

    private Map<Writer, Idle> idle = new HashMap<>();

    /** Takes in who stands still now; each look is a statement of its own. */
    void observe(Writers now) {
        Map<Writer, Idle> next = new HashMap<>();
        now.idleSince().forEach((writer, since) -> next.put(writer, idle(writer, since, now.lastId())));
        now.open().stream()
                .filter(Writer::isPrepared)
                .forEach(writer -> next.put(writer, idle(writer, FOR_EVER, now.lastId())));
        idle = next;
    }

    private Idle idle(Writer writer, String since, long lastId) {
        Idle before = idle.get(writer);
        boolean ever = before != null && before.since.equals(since);
        return new Idle(since, ever ? Math.min(before.drewUpTo, lastId) : Long.MAX_VALUE);
    }

    /** No missing id above this one was drawn by the writer; {@link Long#MAX_VALUE} if nothing is known. */
    long drewUpTo(Writer writer) {
        Idle known = idle.get(writer);
        return known == null ? Long.MAX_VALUE : known.drewUpTo;
    }
}
