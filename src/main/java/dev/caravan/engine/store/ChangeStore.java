package dev.caravan.engine.store;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
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
    private final String relay;
    private final boolean deadLettersBlock;

    /**
     * @param relay name of the relay that makes the attempts
     * @param deadLettersBlock whether a dead letter blocks later messages of its key
     */
    ChangeStore(JdbcTemplate jdbc, LaneId lane, String relay, boolean deadLettersBlock) {
        this.jdbc = jdbc;
        this.lane = lane;
        this.relay = relay;
        this.deadLettersBlock = deadLettersBlock;
    }

    /** Writes the changes; must run in the transaction that saves the progress. */
    Written write(List<Change> changes) {
        int copied = storeRetries(of(changes, Change.Retry.class, false));
        storeRetriesAgain(of(changes, Change.Retry.class, true));
        copied += block(of(changes, Change.Block.class, false));
        update(Sql.file("engine/retry_block_again"), of(changes, Change.Block.class, true));
        copied += storeDead(of(changes, Change.Dead.class, false));
        storeDead(of(changes, Change.Dead.class, true));
        update(Sql.file("engine/retry_remove"), of(changes, Change.Remove.class, true));
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
                : failed(Sql.file("engine/retry_store"), retries)
                        .with("lane", lane.number())
                        .update(jdbc);
    }

    private void storeRetriesAgain(List<Change.Retry> retries) {
        if (!retries.isEmpty()) {
            failed(Sql.file("engine/retry_store_again"), retries)
                    .with("entries", entries(retries))
                    .update(jdbc);
        }
    }

    private Sql failed(Sql sql, List<Change.Retry> retries) {
        return sql.with("subscription", lane.subscription())
                .with("relay", relay)
                .with("ids", ids(retries))
                .with(
                        "attempts",
                        retries.stream().mapToInt(Change.Retry::attempts).toArray())
                .with(
                        "delays",
                        retries.stream()
                                .mapToLong(retry -> retry.delay().toMillis())
                                .toArray())
                .with("error_classes", texts(retries, retry -> retry.failure().errorClass()))
                .with("error_texts", texts(retries, retry -> retry.failure().errorText()))
                .with("answers", texts(retries, retry -> retry.failure().answer()))
                .with("millis", millis(retries));
    }

    private int block(List<Change.Block> blocked) {
        return blocked.isEmpty()
                ? 0
                : Sql.file("engine/retry_block")
                        .with("subscription", lane.subscription())
                        .with("lane", lane.number())
                        .with("ids", ids(blocked))
                        .update(jdbc);
    }

    private void update(Sql sql, List<? extends Change> stored) {
        if (!stored.isEmpty()) {
            sql.with("subscription", lane.subscription())
                    .with("ids", ids(stored))
                    .with("entries", entries(stored))
                    .update(jdbc);
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
        List<Long> stored = Sql.file("engine/dead_letter_store")
                .with("subscription", lane.subscription())
                .with("lane", lane.number())
                .with("relay", relay)
                .with("ids", ids(dead))
                .with("entries", entries(dead))
                .with("fresh", ids(fresh(dead)))
                .with("attempts", dead.stream().mapToInt(Change.Dead::attempts).toArray())
                .with("answers", texts(dead, change -> change.failure().answer()))
                .with("millis", millis(dead))
                .with(
                        "errors",
                        dead.stream()
                                .mapToLong(change -> errors.get(change.failure().withoutAnswer()))
                                .toArray())
                .with("error_classes", texts(errors.keySet(), Failure::errorClass))
                .with("error_texts", texts(errors.keySet(), Failure::errorText))
                .with("error_stacks", texts(errors.keySet(), Failure::stack))
                .with("steps", texts(errors.keySet(), Failure::step))
                .query(jdbc, row -> row.getLong(1));
        if (deadLettersBlock && !stored.isEmpty()) {
            Sql.file("engine/block_behind")
                    .with("subscription", lane.subscription())
                    .with("ids", stored.stream().mapToLong(Long::longValue).toArray())
                    .update(jdbc);
        }
        return stored.size();
    }

    private static <C extends Change> List<C> fresh(List<C> changes) {
        return changes.stream().filter(change -> !change.delivery().isStored()).toList();
    }

    /** @param copied number of messages from the outbox that were stored; an existing dead letter is not stored again */
    private List<Change> vanished(List<Change> changes, int copied) {
        List<Change> fresh = fresh(changes);
        if (copied == fresh.size()) {
            return List.of();
        }
        Set<Long> ids = Set.copyOf(Sql.file("engine/vanished")
                .with("subscription", lane.subscription())
                .with("ids", ids(fresh))
                .query(jdbc, row -> row.getLong(1)));
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
        return Sql.file("engine/unblock")
                .with("subscription", lane.subscription())
                .with("key_types", texts(keys, Key::type))
                .with("key_ids", texts(keys, Key::id))
                .with(
                        "lanes",
                        IntStream.generate(lane::number).limit(keys.size()).toArray())
                .query(jdbc, row -> new Key(row.getString(1), row.getString(2)));
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
}
