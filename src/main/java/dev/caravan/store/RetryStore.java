package dev.caravan.store;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.lane.Change;
import dev.caravan.lane.DueMessage;
import dev.caravan.lane.RetrySurvey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;

/** What waits in {@code outbox_retry} and lies in {@code outbox_dead_letter} for one lane. */
public final class RetryStore {
    private final JdbcTemplate jdbc;
    private final LaneId lane;
    private final String subscription;
    private final boolean deadLettersBlock;

    /** @param deadLettersBlock whether a dead letter holds back later messages of its key */
    public RetryStore(JdbcTemplate jdbc, LaneId lane, boolean deadLettersBlock) {
        this.jdbc = jdbc;
        this.lane = lane;
        this.subscription = lane.subscription();
        this.deadLettersBlock = deadLettersBlock;
    }

    /** @param order tells whether to look for the lowest id too */
    public RetrySurvey survey(Order order) {
        Boolean waits = jdbc.queryForObject(
                Sql.SURVEY.text(),
                (row, n) -> row.getBoolean(1),
                subscription,
                lane.number(),
                deadLettersBlock,
                subscription,
                lane.number());
        return new RetrySurvey(waits, order == Order.strict ? lowest() : Long.MAX_VALUE);
    }

    private long lowest() {
        Long lowest = jdbc.queryForObject(Sql.RETRY_LOWEST.text(), Long.class, subscription, subscription);
        return lowest == null ? Long.MAX_VALUE : lowest;
    }

    /** Those of some keys that have messages waiting, or a dead letter that blocks; asks nothing for no keys. */
    public Set<Key> waiting(Collection<Key> keys) {
        if (keys.isEmpty()) {
            return Set.of();
        }
        return new HashSet<>(jdbc.query(
                Sql.RETRY_KEYS.text(),
                (row, n) -> new Key(row.getString(1), row.getString(2)),
                types(keys),
                ids(keys),
                subscription,
                lane.number(),
                deadLettersBlock,
                subscription,
                lane.number()));
    }

    /**
     * Lets the next keys of the lane go on whose first message is blocked by nothing.
     *
     * @param first hash of the key to begin with; see {@code KeyWalk}
     * @param keys how many keys to look at
     * @return hash of the key to go on with; empty at the end
     */
    public Optional<Long> walk(long first, int keys) {
        return jdbc
                .queryForList(
                        Sql.RETRY_WALK.text(),
                        Long.class,
                        subscription,
                        lane.number(),
                        first,
                        subscription,
                        lane.number(),
                        keys,
                        subscription,
                        keys,
                        deadLettersBlock,
                        subscription,
                        lane.number(),
                        keys)
                .stream()
                .findFirst();
    }

    private static String[] types(Collection<Key> keys) {
        return keys.stream().map(Key::type).toArray(String[]::new);
    }

    private static String[] ids(Collection<Key> keys) {
        return keys.stream().map(Key::id).toArray(String[]::new);
    }

    /** Messages whose time has come, but for those taken; at most so many, and so many bytes unless the first is larger. */
    public List<DueMessage> due(long[] taken, int limit, long bytes) {
        return jdbc.query(
                Sql.RETRY_DUE.text(),
                (row, n) -> new DueMessage(due(row), row.getBoolean(12)),
                subscription,
                lane.number(),
                taken,
                limit,
                bytes);
    }

    /** The first messages of each key that may go on; of each at most so many, and so many bytes unless the first is larger. */
    public List<Delivery> followers(List<Key> keys, int limit, long bytes) {
        return jdbc.query(
                Sql.RETRY_FOLLOWERS.text(),
                (row, n) -> follower(row),
                types(keys),
                ids(keys),
                subscription,
                lane.number(),
                limit,
                bytes);
    }

    /** One that has never failed only waited behind others of its key. */
    private static Delivery due(ResultSet row) throws SQLException {
        if (row.getInt(9) == 0 && row.getLong(10) == 0) {
            return follower(row);
        }
        return Delivery.stored(message(row), row.getLong(11), row.getInt(9), Duration.ofMillis(row.getLong(10)));
    }

    private static Delivery follower(ResultSet row) throws SQLException {
        return Delivery.follower(message(row), row.getLong(11), row.getInt(9), Duration.ofMillis(row.getLong(10)));
    }

    private static Message message(ResultSet row) throws SQLException {
        return new Message(
                row.getLong(1),
                row.getObject(2, UUID.class),
                new Key(row.getString(3), row.getString(4)),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                CreatedAt.of(row.getObject(8, OffsetDateTime.class)));
    }

    /**
     * Writes what became of messages; part of the transaction that saves the progress.
     *
     * @return keys whose next message may go on, because what it waited for is gone
     */
    List<Key> write(List<Change> changes) {
        storeFresh(retries(changes, false));
        storeAgain(retries(changes, true));
        Long[] blocked = ids(deliveries(changes, Change.Block.class, false));
        if (blocked.length > 0) {
            jdbc.update(Sql.RETRY_BLOCK.text(), subscription, lane.number(), blocked, subscription);
        }
        update(Sql.RETRY_BLOCK_AGAIN, deliveries(changes, Change.Block.class, true));
        write(changes, Change.Dead.class, Sql.DEAD_LETTER_STORE, this::dead);
        holdBehind(changes);
        update(Sql.RETRY_REMOVE, deliveries(changes, Change.Remove.class, true));
        return unblock(changes.stream()
                .filter(change -> !(change instanceof Change.Retry)) // it has a time, and what is behind it waits
                .map(change -> change.delivery().message().key())
                .collect(Collectors.toSet()));
    }

    private static List<Change.Retry> retries(List<Change> changes, boolean stored) {
        return changes.stream()
                .filter(Change.Retry.class::isInstance)
                .map(Change.Retry.class::cast)
                .filter(retry -> retry.delivery().isStored() == stored)
                .toList();
    }

    private void storeFresh(List<Change.Retry> retries) {
        if (!retries.isEmpty()) {
            Long[] ids = ids(deliveries(retries));
            Stream<Object> messages = Stream.concat(Stream.of(subscription, lane.number(), ids), columns(retries));
            jdbc.update(
                    Sql.RETRY_STORE.text(),
                    Stream.concat(messages, Stream.of(ids, subscription)).toArray());
        }
    }

    private void storeAgain(List<Change.Retry> retries) {
        if (!retries.isEmpty()) {
            List<Delivery> deliveries = deliveries(retries);
            Long[] ids = ids(deliveries);
            Stream<Object> entries = Stream.concat(Stream.of(ids, entries(deliveries)), columns(retries));
            jdbc.update(
                    Sql.RETRY_STORE_AGAIN.text(),
                    Stream.concat(entries, Stream.of(subscription, ids)).toArray());
        }
    }

    /** One array for each column but the first. */
    private static Stream<Object> columns(List<Change.Retry> retries) {
        return Stream.of(
                retries.stream().map(Change.Retry::attempts).toArray(Integer[]::new),
                retries.stream().map(retry -> retry.delay().toMillis()).toArray(Long[]::new),
                retries.stream().map(retry -> retry.failure().errorClass()).toArray(String[]::new),
                retries.stream().map(retry -> retry.failure().errorText()).toArray(String[]::new));
    }

    private static List<Delivery> deliveries(List<Change.Retry> retries) {
        return retries.stream().map(Change.Retry::delivery).toList();
    }

    private void holdBehind(List<Change> changes) {
        Long[] dead = changes.stream()
                .filter(Change.Dead.class::isInstance)
                .map(change -> change.delivery().message().id())
                .toArray(Long[]::new);
        if (deadLettersBlock && dead.length > 0) {
            jdbc.update(Sql.HOLD_BEHIND.text(), subscription, subscription, dead);
        }
    }

    private List<Key> unblock(Set<Key> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        return jdbc.query(
                Sql.RETRY_UNBLOCK.text(),
                (row, n) -> new Key(row.getString(1), row.getString(2)),
                subscription,
                types(keys),
                ids(keys),
                subscription,
                lane.number(),
                deadLettersBlock,
                subscription,
                lane.number());
    }

    private void update(Sql sql, List<Delivery> stored) {
        if (!stored.isEmpty()) {
            Long[] ids = ids(stored);
            jdbc.update(sql.text(), ids, entries(stored), subscription, ids);
        }
    }

    private static List<Delivery> deliveries(List<Change> changes, Class<? extends Change> kind, boolean stored) {
        return changes.stream()
                .filter(kind::isInstance)
                .map(Change::delivery)
                .filter(delivery -> delivery.isStored() == stored)
                .toList();
    }

    private static Long[] ids(List<Delivery> deliveries) {
        return deliveries.stream().map(delivery -> delivery.message().id()).toArray(Long[]::new);
    }

    private static Long[] entries(List<Delivery> deliveries) {
        return deliveries.stream().map(Delivery::entry).toArray(Long[]::new);
    }

    private <C extends Change> void write(
            List<Change> changes, Class<C> kind, Sql sql, Function<C, Stream<Object>> parameters) {
        List<Object[]> rows = new ArrayList<>();
        for (Change change : changes) {
            if (kind.isInstance(change)) {
                rows.add(parameters.apply(kind.cast(change)).toArray());
            }
        }
        if (!rows.isEmpty()) {
            jdbc.batchUpdate(sql.text(), rows);
        }
    }

    private Stream<Object> message(Delivery delivery) {
        Message message = delivery.message();
        return Stream.of(
                subscription,
                lane.number(),
                message.id(),
                message.messageId(),
                message.key().type(),
                message.key().id(),
                message.type(),
                message.headers(),
                message.payload(),
                message.createdAt().atOffset(ZoneOffset.UTC));
    }

    private Stream<Object> dead(Change.Dead change) {
        long entry = change.delivery().entry();
        Stream<Object> waited =
                Stream.of(subscription, change.delivery().message().id(), entry, entry);
        Stream<Object> failure = Stream.of(
                change.attempts(),
                change.failure().errorClass(),
                change.failure().errorText(),
                change.failure().stack(),
                change.failure().step(),
                entry);
        return Stream.concat(waited, Stream.concat(message(change.delivery()), failure));
    }
}
