package dev.caravan.store;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.lane.DueMessage;
import dev.caravan.lane.RetrySurvey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** Reads what waits in {@code outbox_retry} for a lane, and which of its keys have to wait. {@link ChangeStore} writes it. */
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
}
