package dev.caravan.engine.store;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.engine.lane.RetrySurvey;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reads the messages of a lane in {@code outbox_retry}, and the keys that must wait. {@link ChangeStore} writes them. Each method but
 * the surveys is a transaction. All statements are planned for the table as it is now.
 */
public final class RetryStore {
    /**
     * A lane to survey.
     *
     * @param deadLettersBlock whether a dead letter blocks later messages of its key
     */
    public record Asked(LaneId lane, boolean deadLettersBlock, Order order) {}

    private record Found(int number, RetrySurvey survey) {
        private static Found of(ResultSet row) throws SQLException {
            long lowest = Optional.ofNullable(row.getObject(3, Long.class)).orElse(RetrySurvey.NOTHING_WAITS.lowest());
            return new Found(row.getInt(1) - 1, new RetrySurvey(true, row.getBoolean(2), lowest));
        }
    }

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final LaneId lane;
    private final boolean deadLettersBlock;

    /** @param deadLettersBlock whether a dead letter blocks later messages of its key */
    public RetryStore(JdbcTemplate jdbc, LaneId lane, boolean deadLettersBlock) {
        this.jdbc = jdbc;
        transaction = new TransactionTemplate(new DataSourceTransactionManager(jdbc.getDataSource()));
        this.lane = lane;
        this.deadLettersBlock = deadLettersBlock;
    }

    /** Surveys the side tables for this lane. */
    public RetrySurvey survey(Order order) {
        return survey(jdbc, List.of(asked(order))).get(0);
    }

    /** This lane as one of several to survey. */
    public Asked asked(Order order) {
        return new Asked(lane, deadLettersBlock, order);
    }

    /**
     * Surveys {@code outbox_retry} and {@code outbox_dead_letter} for several lanes by one statement. It needs no transaction, because the sessions
     * of the lanes use no scans that read whole tables ({@link dev.caravan.database.ReadPlans}).
     *
     * @return the result of each lane, in the order of the lanes
     */
    public static List<RetrySurvey> survey(JdbcTemplate jdbc, List<Asked> lanes) {
        RetrySurvey[] surveys =
                Collections.nCopies(lanes.size(), RetrySurvey.NOTHING_WAITS).toArray(RetrySurvey[]::new);
        Sql.file("engine/survey")
                .plannedEachTime()
                .withEach("subscriptions", lanes, asked -> asked.lane().subscription(), String[]::new)
                .withEach("lanes", lanes, asked -> asked.lane().number(), Integer[]::new)
                .withEach("dead_letters_block", lanes, Asked::deadLettersBlock, Boolean[]::new)
                .withEach("strict", lanes, asked -> asked.order() == Order.strict, Boolean[]::new)
                .query(jdbc, Found::of)
                .forEach(found -> surveys[found.number()] = found.survey());
        return List.of(surveys);
    }

    private Sql ofLane(String file) {
        return Sql.file(file).with("subscription", lane.subscription()).with("lane", lane.number());
    }

    private <T> T planned(Supplier<T> statements) {
        return transaction.execute(status -> {
            jdbc.execute(Transaction.SETTINGS);
            return statements.get();
        });
    }

    /** The given keys that have waiting messages, or a dead letter that blocks them; runs no statement for no keys. */
    public Set<Key> waiting(Collection<Key> keys) {
        if (keys.isEmpty()) {
            return Set.of();
        }
        return new HashSet<>(planned(() -> ofKeys("engine/retry_keys", keys)
                .with("dead_letters_block", deadLettersBlock)
                .query(jdbc, row -> new Key(row.getString(1), row.getString(2)))));
    }

    /**
     * Unblocks the first message of each of the next keys of the lane if nothing blocks it any more, and shortens its wait if it failed
     * before the clock was set back.
     *
     * @param first hash of the first key; see {@code RetryIntake}
     * @param keys number of keys to examine
     * @return hash of the key to continue with; empty at the end
     */
    public Optional<Long> walk(long first, int keys) {
        return planned(() -> ofLane("engine/retry_walk")
                .with("first", first)
                .with("keys", keys)
                .with("dead_letters_block", deadLettersBlock)
                .first(jdbc, row -> row.getLong(1)));
    }

    private Sql ofKeys(String file, Collection<Key> keys) {
        return ofLane(file)
                .withEach("key_types", keys, Key::type, String[]::new)
                .withEach("key_ids", keys, Key::id, String[]::new);
    }

    /**
     * The messages that are due, which a survey has found.
     *
     * @param taken ids to leave out, because they are in flight
     * @param limit maximum number of messages
     * @param bytes maximum size of all messages; the first one is returned whatever its size
     * @param maxMessageBytes the contents of larger messages are not read
     */
    public List<Delivery> due(long[] taken, int limit, long bytes, long maxMessageBytes) {
        return planned(() -> limited(ofLane("engine/retry_due").with("taken", taken), limit, bytes, maxMessageBytes)
                .query(jdbc, row -> due(row).behind(row.getBoolean(15))));
    }

    private static Sql limited(Sql sql, int limit, long bytes, long maxMessageBytes) {
        return sql.with("limit", limit).with("bytes", bytes).with("max_message_bytes", maxMessageBytes);
    }

    /**
     * The first messages of keys that are not blocked any more.
     *
     * @param limit maximum number of messages of each key
     * @param bytes maximum size of the messages of each key; the first one is returned whatever its size
     * @param maxMessageBytes the contents of larger messages are not read
     */
    public List<Delivery> followers(List<Key> keys, int limit, long bytes, long maxMessageBytes) {
        return planned(() -> limited(ofKeys("engine/retry_followers", keys), limit, bytes, maxMessageBytes)
                .with("dead_letters_block", deadLettersBlock)
                .query(jdbc, RetryStore::follower));
    }

    /** A due message that has never failed has only waited behind others of its key: it is a follower. */
    private static Delivery due(ResultSet row) throws SQLException {
        return row.getInt(11) == 0 && row.getLong(12) == 0 ? follower(row) : stored(row, Delivery::stored);
    }

    private static Delivery follower(ResultSet row) throws SQLException {
        return stored(row, Delivery::follower);
    }

    private static Delivery stored(ResultSet row, Stored kind) throws SQLException {
        return kind.of(
                        MessageRow.of(row, type -> type),
                        row.getLong(13),
                        row.getInt(11),
                        Duration.ofMillis(row.getLong(12)))
                .edited(row.getBoolean(14));
    }

    private interface Stored {
        Delivery of(Message message, long entry, int failedAttempts, Duration failingFor);
    }
}
