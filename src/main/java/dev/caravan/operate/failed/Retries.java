package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.StoredContent;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.Obstacle;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Reads and changes the messages in {@code outbox_retry}: those that wait for another attempt, and those that are blocked behind
 * them. A relay may be delivering one at any moment and saves its outcome. Each change here locks the subscription, as a save does,
 * so that the two do not run at the same time. A save does not restore a message that was removed here, but a running attempt may
 * still deliver it. A later retry creates a new entry, which the save of that attempt does not change.
 */
public final class Retries {
    /**
     * What the blocked messages of a key wait for; both are empty shortly before they are delivered.
     *
     * @param waiting the id of the message of the key that is tried first
     * @param dead the id of a dead letter of the key, which blocks it with {@code onDead=block} and in order {@code strict}
     */
    public record Blocker(
            @JsonProperty("waitsForId") OptionalLong waiting,
            @JsonProperty("deadLetterOfKey") OptionalLong dead) {
        public static final Blocker NONE = new Blocker(OptionalLong.empty(), OptionalLong.empty());
    }

    private final DataSource dataSource;

    public Retries(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public Optional<Waiting> find(String subscription, long id) throws SQLException {
        return load(subscription, new long[] {id}).stream().findFirst();
    }

    /** Whole messages in order of id; those that no longer exist are left out. */
    public List<Waiting> load(String subscription, long[] ids) throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/waiting_by_id")
                .with("most", StoredContent.MOST_BYTES)
                .with("subscription", subscription)
                .with("ids", ids)
                .query(connection, Waiting::of));
    }

    /** What a blocked message waits for; none if it is not blocked. */
    public Blocker blocker(WaitingSummary blocked) throws SQLException {
        return blockers(blocked.subscription(), List.of(blocked.key())).getOrDefault(blocked.key(), Blocker.NONE);
    }

    /** The messages with what each waits for. Each key and each subscription is looked up once. */
    public List<WaitingSummary> explained(List<WaitingSummary> messages) throws SQLException {
        Map<String, Set<Key>> keys = messages.stream()
                .filter(WaitingSummary::isBlocked)
                .collect(Collectors.groupingBy(
                        WaitingSummary::subscription, Collectors.mapping(WaitingSummary::key, Collectors.toSet())));
        Map<String, Map<Key, Blocker>> found = new HashMap<>();
        for (Map.Entry<String, Set<Key>> entry : keys.entrySet()) {
            found.put(entry.getKey(), blockers(entry.getKey(), entry.getValue()));
        }
        Map<Obstacle.Lane, Obstacle> obstacles = Obstacle.all(
                dataSource, messages.stream().map(WaitingSummary::subscription).collect(Collectors.toSet()));
        return messages.stream()
                .map(message -> message.with(
                        found.getOrDefault(message.subscription(), Map.of()).getOrDefault(message.key(), Blocker.NONE),
                        Optional.ofNullable(obstacles.get(new Obstacle.Lane(message.subscription(), message.lane())))))
                .toList();
    }

    /** A message with what it waits for. */
    public Waiting explained(Waiting message) throws SQLException {
        return new Waiting(
                explained(List.of(message.summary())).get(0),
                message.createdAt(),
                message.failures(),
                message.content());
    }

    /** What the blocked messages of each key wait for. */
    public Map<Key, Blocker> blockers(String subscription, Collection<Key> keys) throws SQLException {
        Map<Key, Blocker> blockers = new HashMap<>();
        Transaction.run(dataSource, connection -> Sql.file("operate/blockers")
                .with("subscription", subscription)
                .withEach("keyTypes", keys, Key::type, String[]::new)
                .withEach("keyIds", keys, Key::id, String[]::new)
                .query(
                        connection,
                        row -> blockers.put(
                                new Key(row.getString(1), row.getString(2)),
                                Sql.records(Blocker.class).read(row))));
        return blockers;
    }

    /**
     * Makes messages due now. The numbers of their attempts are not reset.
     *
     * @return the number of changed messages; the others were tried, given up or blocked meanwhile
     */
    public int retry(Selection.Chunk chunk, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> retry(connection, chunk, actor));
    }

    /** The same in a transaction of the caller. */
    public static int retry(Connection connection, Selection.Chunk chunk, Actor actor) throws SQLException {
        // A separate statement: the next one must see the rows of the save whose end this one awaits.
        LaneChange.lockLanes(connection, chunk.subscription());
        return chunk.statement("operate/retry_waiting", "retry", actor)
                .query(connection, row -> row.getLong(1))
                .size();
    }

    /**
     * Moves messages to the dead letters. Messages behind them are delivered or blocked, as behind any dead letter.
     *
     * @return the number of moved messages; the others were tried, given up or blocked meanwhile
     */
    public int giveUp(Selection.Chunk chunk, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> giveUp(connection, chunk, actor));
    }

    /** The same in a transaction of the caller. */
    public static int giveUp(Connection connection, Selection.Chunk chunk, Actor actor) throws SQLException {
        if (actor.reason().isEmpty()) {
            throw new IllegalArgumentException("giving up a message requires a reason");
        }
        return Removal.run(
                connection,
                chunk.subscription(),
                chunk.statement("operate/give_up", "give-up", actor),
                Retries::blockBehind);
    }

    /** Blocks the message behind each new dead letter if dead letters block their keys. */
    static void blockBehind(Connection connection, String subscription, List<Long> dead) throws SQLException {
        Sql.file("engine/block_behind")
                .with("subscription", subscription)
                .with("ids", dead.toArray(Long[]::new))
                .update(connection);
    }
}
