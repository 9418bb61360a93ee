package dev.caravan.cli;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The message ids given in an input, each with its first line number. Stores a bounded number of ids. */
final class GivenIds {
    /** The default limit. One million ids take about 100 MB. */
    static final int MAX_IDS = 1_000_000;

    private final int maxIds;
    private final Map<UUID, Long> lines = new HashMap<>();

    GivenIds() {
        this(MAX_IDS);
    }

    GivenIds(int maxIds) {
        this.maxIds = maxIds;
    }

    /** Stores the id. Returns the line that gave the same id first, or 0 if no stored line did. */
    long lineBefore(UUID id, long line) {
        Long before = lines.get(id);
        if (before == null && lines.size() < maxIds) {
            lines.put(id, line);
        }
        return before == null ? 0 : before;
    }
}
