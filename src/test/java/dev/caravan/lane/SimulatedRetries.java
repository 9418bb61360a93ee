package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** What {@code outbox_retry} and {@code outbox_dead_letter} hold, with the statements that the relay and people run on them. */
final class SimulatedRetries {
    private record Waiting(Message message, boolean blocked, int attempts, long nextAttemptAt, Long firstFailedAt) {
        @Override
        public String toString() {
            return message.key().id() + (blocked ? " blocked" : " at " + nextAttemptAt / 1_000_000 + " ms") + " after "
                    + attempts;
        }
    }

    private final Map<Long, Waiting> retry = new TreeMap<>();
    private final Map<Long, Message> dead = new TreeMap<>();
    private final Set<Long> discarded = new HashSet<>();

    /** Writes the changes of one save, kind by kind. */
    void write(List<Change> changes, long now) {
        each(changes, Change.Retry.class).forEach(change -> {
            Message message = change.delivery().message();
            Waiting before = retry.get(message.id());
            Long firstFailed = before == null || before.firstFailedAt() == null ? (Long) now : before.firstFailedAt();
            long next = now + change.delay().toNanos();
            retry.put(message.id(), new Waiting(message, false, change.attempts(), next, firstFailed));
        });
        each(changes, Change.Block.class).forEach(change -> {
            Message message = change.delivery().message();
            Waiting before = retry.get(message.id());
            int attempts = before == null ? 0 : before.attempts();
            Long firstFailed = before == null ? null : before.firstFailedAt();
            retry.put(message.id(), new Waiting(message, true, attempts, Long.MAX_VALUE, firstFailed));
        });
        each(changes, Change.Dead.class).forEach(change -> {
            Message message = change.delivery().message();
            retry.remove(message.id());
            dead.put(message.id(), message);
            assertThat(discarded).as("discarded and dead again").doesNotContain(message.id());
        });
        each(changes, Change.Remove.class)
                .forEach(change -> retry.remove(change.delivery().message().id()));
    }

    private static <C extends Change> Stream<C> each(List<Change> changes, Class<C> kind) {
        return changes.stream().filter(kind::isInstance).map(kind::cast);
    }

    RetrySurvey survey(LaneOptions options) {
        Map<Key, Boolean> waiting = new HashMap<>();
        retry.values().forEach(row -> waiting.merge(row.message().key(), !row.blocked(), Boolean::logicalOr));
        Set<Key> deadKeys = new HashSet<>();
        if (options.deadLettersBlock()) {
            dead.values().forEach(message -> deadKeys.add(message.key()));
        }
        long lowest = Stream.concat(retry.keySet().stream(), dead.keySet().stream())
                .mapToLong(Long::longValue)
                .min()
                .orElse(Long.MAX_VALUE);
        return new RetrySurvey(waiting, deadKeys, options.order() == Order.strict ? lowest : Long.MAX_VALUE);
    }

    List<Delivery> due(long[] taken, int limit, long now) {
        return retry.values().stream()
                .filter(row ->
                        LongStream.of(taken).noneMatch(id -> id == row.message().id()))
                .filter(row -> !row.blocked() && row.nextAttemptAt() <= now)
                .sorted(Comparator.comparingLong(Waiting::nextAttemptAt))
                .limit(limit)
                .map(row -> delivery(row, now))
                .toList();
    }

    List<Delivery> followers(List<Key> keys, int limit, long now) {
        return keys.stream()
                .flatMap(key -> retry.values().stream()
                        .filter(row -> row.blocked() && row.message().key().equals(key))
                        .limit(limit))
                .sorted(Comparator.comparingLong(row -> row.message().id()))
                .map(row -> Delivery.follower(row.message(), row.attempts(), failing(row, now)))
                .toList();
    }

    private static Delivery delivery(Waiting row, long now) {
        return Delivery.stored(row.message(), row.attempts(), failing(row, now));
    }

    private static Duration failing(Waiting row, long now) {
        return Duration.ofNanos(row.firstFailedAt() == null ? 0 : now - row.firstFailedAt());
    }

    /** A person retries a dead letter: it waits behind an earlier one of its key. */
    void retryDead(long id, long now) {
        Message message = dead.remove(id);
        Predicate<Waiting> isEarlier = row ->
                row.message().key().equals(message.key()) && row.message().id() < id;
        boolean blocked = retry.values().stream().anyMatch(isEarlier);
        retry.put(id, new Waiting(message, blocked, 0, blocked ? Long.MAX_VALUE : now, now));
    }

    /** A person discards a dead letter. */
    void discard(long id) {
        dead.remove(id);
        discarded.add(id);
    }

    List<Long> deadIds() {
        return new ArrayList<>(dead.keySet());
    }

    boolean isDiscarded(long id) {
        return discarded.contains(id);
    }

    /** In how many places it is. */
    int places(long id) {
        return (retry.containsKey(id) ? 1 : 0) + (dead.containsKey(id) ? 1 : 0) + (discarded.contains(id) ? 1 : 0);
    }

    boolean isEmpty() {
        return retry.isEmpty() && dead.isEmpty();
    }

    @Override
    public String toString() {
        return "retry " + retry + ", dead " + dead.keySet() + ", discarded " + discarded;
    }
}
