package dev.caravan.engine.store;

import dev.caravan.base.message.Key;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Writes the changes of messages of a lane to {@code outbox_retry} and {@code outbox_dead_letter}. Messages that were read from the
 * outbox are copied inside the database and are not sent over the network again.
 */
final class ChangeStore {
    /** Limit of dead letters in one statement: if all their stack traces differ, these take some megabytes. */
    private static final int DEAD_LETTERS_AT_ONCE = 1_000;

    /**
     * The result of a write.
     *
     * @param freed keys whose next message is not blocked any more
     * @param vanished changes of messages that were deleted from the outbox and could not be stored
     */
    record Written(List<Key> freed, List<Change> vanished) {}

    private final JdbcTemplate jdbc;
    private final LaneId lane;
    private final String subscription;
    private final String relay;
    private final boolean deadLettersBlock;

    /**
     * @param relay name of the relay that makes the attempts
     * @param deadLettersBlock whether a dead letter blocks later messages of its key
     */
    ChangeStore(JdbcTemplate jdbc, LaneId lane, String relay, boolean deadLettersBlock) {
        this.jdbc = jdbc;
        this.lane = lane;
        this.subscription = lane.subscription();
        this.relay = relay;
        this.deadLettersBlock = deadLettersBlock;
    }

    /** Writes the changes; must run in the transaction that saves the progress. */
    Written write(List<Change> changes) {
        int copied = storeRetries(of(changes, Change.Retry.class, false));
        storeRetriesAgain(of(changes, Change.Retry.class, true));
        copied += block(of(changes, Change.Block.class, false));
        update(Sql.RETRY_BLOCK_AGAIN, of(changes, Change.Block.class, true));
        copied += storeDead(of(changes, Change.Dead.class, false));
        storeDead(of(changes, Change.Dead.class, true));
        update(Sql.RETRY_REMOVE, of(changes, Change.Remove.class, true));
        List<Change> vanished = vanished(changes, copied);
        return new Written(unblock(changes, vanished), vanished);
    }

    private static <C extends Change> List<C> of(List<Change> changes, Class<C> kind, boolean stored) {
        return changes.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .filter(change -> change.delivery().isStored() == stored)
                .toList();
    }

    private int storeRetries(List<Change.Retry> retries) {
        return retries.isEmpty()
                ? 0
                : jdbc.update(
                        Sql.RETRY_STORE.text(),
                        parameters(
                                Stream.of(subscription, lane.number(), relay, ids(retries)),
                                columns(retries),
                                Stream.of(ids(retries), subscription)));
    }

    private void storeRetriesAgain(List<Change.Retry> retries) {
        if (!retries.isEmpty()) {
            jdbc.update(
                    Sql.RETRY_STORE_AGAIN.text(),
                    parameters(
                            Stream.of(relay, ids(retries), entries(retries)),
                            columns(retries),
                            Stream.of(subscription, ids(retries))));
        }
    }

    private static Stream<Object> columns(List<Change.Retry> retries) {
        return Stream.of(
                retries.stream().mapToInt(Change.Retry::attempts).toArray(),
                retries.stream().mapToLong(retry -> retry.delay().toMillis()).toArray(),
                texts(retries, retry -> retry.failure().errorClass()),
                texts(retries, retry -> retry.failure().errorText()),
                texts(retries, retry -> retry.failure().answer()),
                millis(retries));
    }

    private int block(List<Change.Block> blocked) {
        return blocked.isEmpty()
                ? 0
                : jdbc.update(Sql.RETRY_BLOCK.text(), subscription, lane.number(), ids(blocked), subscription);
    }

    private void update(Sql sql, List<? extends Change> stored) {
        if (!stored.isEmpty()) {
            jdbc.update(sql.text(), ids(stored), entries(stored), subscription, ids(stored));
        }
    }

    private int storeDead(List<Change.Dead> dead) {
        int stored = 0;
        for (int from = 0; from < dead.size(); from += DEAD_LETTERS_AT_ONCE) {
            stored += storeSomeDead(dead.subList(from, Math.min(dead.size(), from + DEAD_LETTERS_AT_ONCE)));
        }
        return stored;
    }

    private int storeSomeDead(List<Change.Dead> dead) {
        Map<Failure, Long> errors = new LinkedHashMap<>();
        dead.forEach(change -> errors.putIfAbsent(change.failure().withoutAnswer(), errors.size() + 1L));
        long[] errorNumbers = dead.stream()
                .mapToLong(change -> errors.get(change.failure().withoutAnswer()))
                .toArray();
        long[] fresh = ids(
                dead.stream().filter(change -> !change.delivery().isStored()).toList());
        List<Long> stored = jdbc.queryForList(
                Sql.DEAD_LETTER_STORE.text(),
                Long.class,
                ids(dead),
                entries(dead),
                dead.stream().mapToInt(Change.Dead::attempts).toArray(),
                texts(dead, change -> change.failure().answer()),
                millis(dead),
                errorNumbers,
                texts(errors.keySet(), Failure::errorClass),
                texts(errors.keySet(), Failure::errorText),
                texts(errors.keySet(), Failure::stack),
                texts(errors.keySet(), Failure::step),
                subscription,
                ids(dead),
                fresh,
                subscription,
                lane.number(),
                relay);
        if (deadLettersBlock && !stored.isEmpty()) {
            jdbc.update(Sql.BLOCK_BEHIND.text(), subscription, subscription, longs(stored.stream()));
        }
        return stored.size();
    }

    /** @param copied number of messages from the outbox that were stored; an existing dead letter is not stored again */
    private List<Change> vanished(List<Change> changes, int copied) {
        List<Change> fresh =
                changes.stream().filter(change -> !change.delivery().isStored()).toList();
        if (copied == fresh.size()) {
            return List.of();
        }
        Set<Long> ids =
                Set.copyOf(jdbc.queryForList(Sql.VANISHED.text(), Long.class, ids(fresh), subscription, subscription));
        return fresh.stream().filter(change -> ids.contains(id(change))).toList();
    }

    /** Unblocks the keys of the changes, except of those that wait for another attempt: these block their keys. */
    private List<Key> unblock(List<Change> changes, List<Change> vanished) {
        Set<Key> keys = Stream.concat(
                        changes.stream().filter(change -> !(change instanceof Change.Retry)), vanished.stream())
                .map(change -> change.delivery().message().key())
                .collect(Collectors.toSet());
        if (keys.isEmpty()) {
            return List.of();
        }
        return jdbc.query(
                Sql.UNBLOCK.text(),
                (row, n) -> new Key(row.getString(1), row.getString(2)),
                subscription,
                texts(keys, Key::type),
                texts(keys, Key::id),
                IntStream.generate(lane::number).limit(keys.size()).toArray(),
                subscription);
    }

    private static Object[] parameters(Stream<?>... parts) {
        List<Object> all = new ArrayList<>();
        Stream.of(parts).forEach(part -> part.forEach(all::add));
        return all.toArray();
    }

    private static <T> String[] texts(Collection<T> of, Function<T, String> text) {
        return of.stream().map(text).toArray(String[]::new);
    }

    private static long[] ids(List<? extends Change> changes) {
        return changes.stream().mapToLong(ChangeStore::id).toArray();
    }

    private static long[] entries(List<? extends Change> changes) {
        return changes.stream().map(Change::delivery).mapToLong(Delivery::entry).toArray();
    }

    private static int[] millis(List<? extends Change> changes) {
        return changes.stream()
                .mapToLong(change -> change.delivery().failedAfter().toMillis())
                .mapToInt(millis -> (int) Math.min(millis, Integer.MAX_VALUE))
                .toArray();
    }

    private static long id(Change change) {
        return change.delivery().message().id();
    }

    private static long[] longs(Stream<Long> numbers) {
        return numbers.mapToLong(Long::longValue).toArray();
    }
}
