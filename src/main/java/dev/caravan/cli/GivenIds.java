package dev.caravan.cli;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The message ids that the lines of an input gave, and on which line each was first. Remembers a bounded number of them. */
final class GivenIds {
    /** Takes about 100 MB when all are used. */
    static final int REMEMBERED = 1_000_000;

    private final int most;
    private final Map<UUID, Long> lines = new HashMap<>();

    GivenIds() {
        this(REMEMBERED);
    }

    GivenIds(int most) {
        this.most = most;
    }

    /** The line on which this id stood before, or 0 if it did not as far as is remembered; remembers it. */
    long lineBefore(UUID id, long line) {
        Long before = lines.get(id);
        if (before == null && lines.size() < most) {
            lines.put(id, line);
        }
        return before == null ? 0 : before;
    }
}
