package dev.caravan.selection;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The messages that were counted: what comes later, or has changed since, is not among them. Holds two numbers for each.
 */
public final class Selection {
    /**
     * A few of them, in order of id.
     *
     * @param versionMicros the version of each, in microseconds since 1970
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Chunk(String subscription, long[] ids, long[] versionMicros) {
        public int size() {
            return ids.length;
        }
    }

    private final Map<String, TreeMap<Long, Long>> bySubscription = new TreeMap<>();

    Selection() {}

    /** Of messages that were shown to a person. */
    public static Selection of(Collection<? extends Versioned> messages) {
        Selection set = new Selection();
        messages.forEach(set::add);
        return set;
    }

    void add(Versioned message) {
        bySubscription
                .computeIfAbsent(message.subscription(), name -> new TreeMap<>())
                .put(message.id(), ChronoUnit.MICROS.between(Instant.EPOCH, message.version()));
    }

    public long size() {
        return bySubscription.values().stream().mapToLong(Map::size).sum();
    }

    /** How many of each subscription, in order of name. */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        bySubscription.forEach((name, messages) -> counts.put(name, (long) messages.size()));
        return counts;
    }

    /** All of them in parts of at most so many, each of one subscription, in order of name and id. */
    public List<Chunk> chunks(int size) {
        return chunks(size, size);
    }

    /** The same; the first part of each subscription has at most as many as is said. */
    List<Chunk> chunks(int first, int size) {
        List<Chunk> chunks = new ArrayList<>();
        bySubscription.forEach((name, messages) -> {
            long[] ids = messages.keySet().stream().mapToLong(Long::longValue).toArray();
            long[] micros =
                    messages.values().stream().mapToLong(Long::longValue).toArray();
            for (int from = 0, to; from < ids.length; from = to) {
                to = Math.min(ids.length, from + (from == 0 ? Math.min(first, size) : size));
                chunks.add(new Chunk(name, Arrays.copyOfRange(ids, from, to), Arrays.copyOfRange(micros, from, to)));
            }
        });
        return chunks;
    }
}
