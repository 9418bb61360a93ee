package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The content of {@code outbox_retry} and {@code outbox_dead_letter}, with the statements that the relay and people run on them. */
final class SimulatedRetries {
    private record Waiting(
            Message message, long entry, boolean blocked, int attempts, long nextAttemptAt, Long firstFailedAt) {
        boolean isDue(long now) {
            return !blocked && nextAttemptAt <= now;
        }

        @Override
        public String toString() {
            return message.key().id() + (blocked ? " blocked" : " at " + nextAttemptAt / 1_000_000 + " ms") + " after "
                    + attempts;
        }
    }

    private final Map<Long, Waiting> retry = new TreeMap<>();
    private final Map<Long, Message> dead = new TreeMap<>();
    private final Set<Long> discarded = new HashSet<>();
    private long lastEntry;
    /** Used only after the options have changed, so that nothing else depends on it. */
    private boolean walks;

    /** Writes the changes of one save, kind by kind; returns the keys whose next message may continue. */
    List<Key> write(List<Change> changes, LaneSettings options, long now) {
        each(changes, Change.Retry.class).filter(this::isStillThere).forEach(change -> {
            Message message = change.delivery().message();
            Waiting before = retry.get(message.id());
            long entry = before == null ? ++lastEntry : before.entry();
            Long firstFailed = before == null || before.firstFailedAt() == null ? (Long) now : before.firstFailedAt();
            long next = now + change.delay().toNanos();
            retry.put(message.id(), new Waiting(message, entry, false, change.attempts(), next, firstFailed));
        });
        each(changes, Change.Block.class).filter(this::isStillThere).forEach(change -> {
            Message message = change.delivery().message();
            Waiting before = retry.get(message.id());
            long entry = before == null ? ++lastEntry : before.entry();
            int attempts = before == null ? 0 : before.attempts();
            Long firstFailed = before == null ? null : before.firstFailedAt();
            retry.put(message.id(), new Waiting(message, entry, true, attempts, Long.MAX_VALUE, firstFailed));
        });
        each(changes, Change.Dead.class).filter(this::isStillThere).forEach(change -> {
            Message message = change.delivery().message();
            retry.remove(message.id());
            dead.put(message.id(), message);
            assertThat(discarded).as("discarded and dead again").doesNotContain(message.id());
            if (options.deadLettersBlock()) {
                blockBehind(message);
            }
        });
        each(changes, Change.Remove.class)
                .filter(this::isStillThere)
                .forEach(change -> retry.remove(change.delivery().message().id()));
        return changes.stream()
                .filter(change -> !(change instanceof Change.Retry))
                .map(change -> change.delivery().message().key())
                .distinct()
                .filter(key -> unblock(key, options, now))
                .toList();
    }

    private static <C extends Change> Stream<C> each(List<Change> changes, Class<C> kind) {
        return changes.stream().filter(kind::isInstance).map(kind::cast);
    }

    /** A person may have removed it and perhaps retried it, which creates another entry. */
    private boolean isStillThere(Change change) {
        long id = change.delivery().message().id();
        Waiting entry = retry.get(id);
        return change.delivery().isStored()
                ? entry != null && entry.entry() == change.delivery().entry()
                : !dead.containsKey(id);
    }

    /** Removes the time of the next attempt of the first message behind a dead letter. */
    private void blockBehind(Message letter) {
        rows(letter.key())
                .filter(row -> row.message().id() > letter.id())
                .findFirst()
                .filter(row -> !row.blocked())
                .ifPresent(row -> retry.put(
                        row.message().id(),
                        new Waiting(
                                row.message(),
                                row.entry(),
                                true,
                                row.attempts(),
                                Long.MAX_VALUE,
                                row.firstFailedAt())));
    }

    /** Gives the first message of the key a time if it is blocked by nothing. */
    private boolean unblock(Key key, LaneSettings options, long now) {
        Waiting first = rows(key).findFirst().orElse(null);
        if (first == null || !first.blocked()) {
            return false;
        }
        long id = first.message().id();
        if (options.deadLettersBlock()
                && dead.values().stream().anyMatch(letter -> letter.key().equals(key) && letter.id() < id)) {
            return false;
        }
        retry.put(id, new Waiting(first.message(), first.entry(), false, first.attempts(), now, first.firstFailedAt()));
        return true;
    }

    private Stream<Waiting> rows(Key key) {
        return retry.values().stream().filter(row -> row.message().key().equals(key));
    }

    /** From now on keys are found that saves have left behind. */
    void walked() {
        walks = true;
    }

    void walk(LaneSettings options, long now) {
        if (walks) {
            Set<Key> keys = new HashSet<>();
            retry.values().forEach(row -> keys.add(row.message().key()));
            keys.forEach(key -> unblock(key, options, now));
        }
    }

    RetrySurvey survey(LaneSettings options, long now) {
        long lowest = Stream.concat(retry.keySet().stream(), dead.keySet().stream())
                .mapToLong(Long::longValue)
                .min()
                .orElse(Long.MAX_VALUE);
        return new RetrySurvey(
                !retry.isEmpty() || options.deadLettersBlock() && !dead.isEmpty(),
                retry.values().stream().anyMatch(row -> row.isDue(now)),
                options.order() == Order.strict ? lowest : Long.MAX_VALUE);
    }

    /** Those of some keys whose fresh messages have to wait. */
    Set<Key> waiting(Set<Key> keys, LaneSettings options) {
        return keys.stream()
                .filter(key -> rows(key).findAny().isPresent()
                        || options.deadLettersBlock()
                                && dead.values().stream()
                                        .anyMatch(letter -> letter.key().equals(key)))
                .collect(Collectors.toSet());
    }

    List<Delivery> due(long[] taken, int limit, long now) {
        return retry.values().stream()
                .filter(row ->
                        LongStream.of(taken).noneMatch(id -> id == row.message().id()))
                .filter(row -> row.isDue(now))
                .sorted(Comparator.comparingLong(Waiting::nextAttemptAt))
                .limit(limit)
                .map(row -> delivery(row, now).behind(isBehind(row.message())))
                .toList();
    }

    private boolean isBehind(Message message) {
        return rows(message.key()).anyMatch(row -> row.message().id() < message.id());
    }

    List<Delivery> followers(List<Key> keys, LaneSettings options, long now) {
        return keys.stream()
                .flatMap(key -> rows(key)
                        .limit(options.batchSize())
                        .takeWhile(row -> !options.deadLettersBlock() || !isBehindDead(row.message()))
                        .takeWhile(row -> row.blocked() || row.nextAttemptAt() <= now)
                        .filter(row -> !rows(key).findFirst().orElseThrow().blocked()))
                .sorted(Comparator.comparingLong(row -> row.message().id()))
                .map(row -> Delivery.follower(row.message(), row.entry(), row.attempts(), failing(row, now)))
                .toList();
    }

    private boolean isBehindDead(Message message) {
        return dead.values().stream()
                .anyMatch(letter -> letter.key().equals(message.key()) && letter.id() < message.id());
    }

    private static Delivery delivery(Waiting row, long now) {
        return Delivery.stored(row.message(), row.entry(), row.attempts(), failing(row, now));
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
        retry.put(id, new Waiting(message, ++lastEntry, blocked, 0, blocked ? Long.MAX_VALUE : now, now));
    }

    /** A person discards a dead letter; those that waited for nothing else continue. */
    void discard(long id, LaneSettings options, long now) {
        Message message = dead.remove(id);
        discarded.add(id);
        unblock(message.key(), options, now);
    }

    /** A person gives up a message that waits for another attempt. */
    void giveUp(long id, LaneSettings options, long now) {
        Message message = retry.remove(id).message();
        dead.put(id, message);
        if (options.deadLettersBlock()) {
            blockBehind(message);
        }
        unblock(message.key(), options, now);
    }

    List<Long> idsWithTime() {
        return retry.values().stream()
                .filter(row -> !row.blocked())
                .map(row -> row.message().id())
                .toList();
    }

    List<Long> deadIds() {
        return new ArrayList<>(dead.keySet());
    }

    boolean isDiscarded(long id) {
        return discarded.contains(id);
    }

    /** The number of places in which it is stored. */
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
