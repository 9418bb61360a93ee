package dev.caravan.operate.failed;

import dev.caravan.database.Sql;
import dev.caravan.operate.audit.Actor;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The messages that were selected for a change, as ids with versions. Messages that match later are not included. Stores two
 * numbers per message in memory.
 */
public final class Selection {
    /**
     * Messages of one subscription, in order of id.
     *
     * @param versionMicros the version of each message, in microseconds since 1970
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Chunk(String subscription, long[] ids, long[] versionMicros) {
        public int size() {
            return ids.length;
        }

        /** A statement that changes these messages and writes the audit. */
        Sql statement(String file, String action, Actor actor) {
            return Sql.file(file)
                    .with("subscription", subscription)
                    .with("ids", ids)
                    .with("micros", versionMicros)
                    .with("action", action)
                    .with("who", actor.who())
                    .with("via", actor.via().text())
                    .with("reason", actor.reason().orElse(null));
        }
    }

    private final Map<String, TreeMap<Long, Long>> bySubscription = new TreeMap<>();

    Selection() {}

    /** Selects messages that a person has named. */
    public static Selection of(Collection<? extends Versioned> messages) {
        Selection set = new Selection();
        messages.forEach(set::add);
        return set;
    }

    /** The chunk of one message. */
    public static Chunk only(Versioned message) {
        return of(List.of(message)).chunks(1).get(0);
    }

    void add(Versioned message) {
        bySubscription
                .computeIfAbsent(message.subscription(), name -> new TreeMap<>())
                .put(message.id(), ChronoUnit.MICROS.between(Instant.EPOCH, message.version()));
    }

    public long size() {
        return bySubscription.values().stream().mapToLong(Map::size).sum();
    }

    /** This selection without the messages of some subscriptions. */
    public Selection without(Collection<String> subscriptions) {
        Selection rest = new Selection();
        rest.bySubscription.putAll(bySubscription);
        rest.bySubscription.keySet().removeAll(subscriptions);
        return rest;
    }

    /** The ids of a subscription's messages, in order. */
    public long[] ids(String subscription) {
        return bySubscription.getOrDefault(subscription, new TreeMap<>()).keySet().stream()
                .mapToLong(Long::longValue)
                .toArray();
    }

    /** Number of messages per subscription, in order of name. */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        bySubscription.forEach((name, messages) -> counts.put(name, (long) messages.size()));
        return counts;
    }

    /** Chunks of at most {@code size} messages, each of one subscription, in order of name and id. */
    public List<Chunk> chunks(int size) {
        List<Chunk> chunks = new ArrayList<>();
        bySubscription.forEach((name, messages) -> {
            long[] ids = messages.keySet().stream().mapToLong(Long::longValue).toArray();
            long[] micros =
                    messages.values().stream().mapToLong(Long::longValue).toArray();
            for (int from = 0, to; from < ids.length; from = to) {
                to = Math.min(ids.length, from + size);
                chunks.add(new Chunk(name, Arrays.copyOfRange(ids, from, to), Arrays.copyOfRange(micros, from, to)));
            }
        });
        return chunks;
    }
}
