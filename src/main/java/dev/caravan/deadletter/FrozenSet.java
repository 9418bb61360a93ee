package dev.caravan.deadletter;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The dead letters that were counted: what dies later, or dies again, is not among them. Holds two numbers for each.
 */
public final class FrozenSet {
    /**
     * A few of them, in order of id.
     *
     * @param failedMicros when each failed for the last time, in microseconds since 1970
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Chunk(String subscription, long[] ids, long[] failedMicros) {
        public int size() {
            return ids.length;
        }
    }

    private final Map<String, TreeMap<Long, Long>> bySubscription = new TreeMap<>();

    FrozenSet() {}

    /** Of dead letters that were shown to a person. */
    public static FrozenSet of(Collection<DeadLetterSummary> letters) {
        FrozenSet set = new FrozenSet();
        letters.forEach(letter -> set.add(letter.subscription(), letter.id(), letter.lastFailedAt()));
        return set;
    }

    void add(String subscription, long id, Instant failed) {
        bySubscription
                .computeIfAbsent(subscription, name -> new TreeMap<>())
                .put(id, ChronoUnit.MICROS.between(Instant.EPOCH, failed));
    }

    public long size() {
        return bySubscription.values().stream().mapToLong(Map::size).sum();
    }

    /** How many of each subscription, in order of name. */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        bySubscription.forEach((name, letters) -> counts.put(name, (long) letters.size()));
        return counts;
    }

    /** All of them in parts of at most so many, each of one subscription, in order of name and id. */
    public List<Chunk> chunks(int size) {
        List<Chunk> chunks = new ArrayList<>();
        bySubscription.forEach((name, letters) -> {
            long[] ids = letters.keySet().stream().mapToLong(Long::longValue).toArray();
            long[] micros = letters.values().stream().mapToLong(Long::longValue).toArray();
            for (int from = 0; from < ids.length; from += size) {
                int to = Math.min(ids.length, from + size);
                chunks.add(new Chunk(name, Arrays.copyOfRange(ids, from, to), Arrays.copyOfRange(micros, from, to)));
            }
        });
        return chunks;
    }
}
