package dev.caravan.engine.store;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.schedule.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
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
        int copied = update("engine/retry_store", of(changes, Change.Retry.class, false), this::withFailures);
        update("engine/retry_store_again", of(changes, Change.Retry.class, true), this::withFailures);
        copied += update("engine/retry_block", of(changes, Change.Block.class, false), (sql, blocked) -> sql);
        update("engine/retry_block_again", of(changes, Change.Block.class, true), (sql, blocked) -> sql);
        copied += storeDead(of(changes, Change.Dead.class, false));
        storeDead(of(changes, Change.Dead.class, true));
        update("engine/retry_remove", of(changes, Change.Remove.class, true), (sql, delivered) -> sql);
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

    /** @param more gives the statement further values of these changes, all of messages from the outbox or all of entries */
    private <C extends Change> int update(String file, List<C> changes, BiFunction<Sql, List<C>, Sql> more) {
        if (changes.isEmpty()) {
            return 0;
        }
        Sql sql = Sql.file(file)
                .with("subscription", lane.subscription())
                .withEach("ids", changes, ChangeStore::id, Long[]::new);
        return more.apply(
                        changes.get(0).delivery().isStored()
                                ? sql.withEach("entries", changes, ChangeStore::entry, Long[]::new)
                                : sql.with("lane", lane.number()),
                        changes)
                .update(jdbc);
    }

    private Sql withFailures(Sql sql, List<Change.Retry> retries) {
        return sql.with("relay", relay)
                .withEach("attempts", retries, Change.Retry::attempts, Integer[]::new)
                .withEach("delays", retries, retry -> retry.delay().toMillis(), Long[]::new)
                .withEach("error_classes", retries, retry -> retry.failure().errorClass(), String[]::new)
                .withEach("error_texts", retries, retry -> retry.failure().errorText(), String[]::new)
                .withEach("answers", retries, retry -> retry.failure().answer(), String[]::new)
                .withEach("millis", retries, ChangeStore::millis, Integer[]::new);
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
                .withEach("ids", dead, ChangeStore::id, Long[]::new)
                .withEach("entries", dead, ChangeStore::entry, Long[]::new)
                .withEach("fresh", fresh(dead), ChangeStore::id, Long[]::new)
                .withEach("attempts", dead, Change.Dead::attempts, Integer[]::new)
                .withEach("answers", dead, change -> change.failure().answer(), String[]::new)
                .withEach("millis", dead, ChangeStore::millis, Integer[]::new)
                .withEach("errors", dead, change -> errors.get(change.failure().withoutAnswer()), Long[]::new)
                .withEach("error_classes", errors.keySet(), Failure::errorClass, String[]::new)
                .withEach("error_texts", errors.keySet(), Failure::errorText, String[]::new)
                .withEach("error_stacks", errors.keySet(), Failure::stack, String[]::new)
                .withEach("steps", errors.keySet(), Failure::step, String[]::new)
                .query(jdbc, row -> row.getLong(1));
        if (deadLettersBlock && !stored.isEmpty()) {
            Sql.file("engine/block_behind")
                    .with("subscription", lane.subscription())
                    .withEach("ids", stored, id -> id, Long[]::new)
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
                .withEach("ids", fresh, ChangeStore::id, Long[]::new)
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
                .withEach("key_types", keys, Key::type, String[]::new)
                .withEach("key_ids", keys, Key::id, String[]::new)
                .withEach("lanes", keys, key -> lane.number(), Integer[]::new)
                .query(jdbc, row -> new Key(row.getString(1), row.getString(2)));
    }

    private static Long id(Change change) {
        return change.delivery().message().id();
    }

    private static Long entry(Change change) {
        return change.delivery().entry();
    }

    private static Integer millis(Change change) {
        return (int) Math.min(change.delivery().failedAfter().toMillis(), Integer.MAX_VALUE);
    }
}
