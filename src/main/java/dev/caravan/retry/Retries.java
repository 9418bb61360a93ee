package dev.caravan.retry;

import dev.caravan.audit.Actor;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.delivery.Key;
import dev.caravan.selection.Removal;
import dev.caravan.selection.Selection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The messages that wait for another attempt, or behind one that does. A relay may have one in hand at any moment, and saves
 * what became of it: each change here locks the subscription, as a save does, so the two never mix. What is taken away here
 * does not come back by a save; an attempt that is on its way meanwhile may still deliver it. What is retried afterwards is another
 * entry, which that attempt does not touch.
 */
public final class Retries {
    /**
     * What the blocked messages of a key wait for; both are empty while their turn comes.
     *
     * @param waiting the message of the key that is tried first
     * @param dead a dead letter of the key, which holds it back with {@code onDead=block} and in order {@code strict}
     */
    public record Blocker(OptionalLong waiting, OptionalLong dead) {
        public static final Blocker NONE = new Blocker(OptionalLong.empty(), OptionalLong.empty());
    }

    private final DataSource dataSource;

    public Retries(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public Optional<Waiting> find(String subscription, long id) throws SQLException {
        return load(subscription, new long[] {id}).stream().findFirst();
    }

    /** Whole messages in order of id; those that are gone meanwhile are missing. */
    public List<Waiting> load(String subscription, long[] ids) throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> Statement.query(connection, "retry/waiting_by_id", Waiting::of, subscription, ids));
    }

    /** What a message waits for, unless it is tried at a time. */
    public Blocker blocker(WaitingSummary blocked) throws SQLException {
        return blockers(blocked.subscription(), List.of(blocked.key())).getOrDefault(blocked.key(), Blocker.NONE);
    }

    /** What each of some messages waits for, unless it is tried at a time; looked up once for each key. */
    public Function<WaitingSummary, Blocker> blockers(List<WaitingSummary> messages) throws SQLException {
        Map<String, Set<Key>> keys = messages.stream()
                .filter(WaitingSummary::isBlocked)
                .collect(Collectors.groupingBy(
                        WaitingSummary::subscription, Collectors.mapping(WaitingSummary::key, Collectors.toSet())));
        Map<String, Map<Key, Blocker>> found = new HashMap<>();
        for (Map.Entry<String, Set<Key>> entry : keys.entrySet()) {
            found.put(entry.getKey(), blockers(entry.getKey(), entry.getValue()));
        }
        return message -> message.isBlocked()
                ? found.get(message.subscription()).getOrDefault(message.key(), Blocker.NONE)
                : Blocker.NONE;
    }

    /** For each key what its blocked messages wait for. */
    public Map<Key, Blocker> blockers(String subscription, Collection<Key> keys) throws SQLException {
        Map<Key, Blocker> blockers = new HashMap<>();
        Transaction.run(
                dataSource,
                connection -> Statement.query(
                        connection,
                        "retry/blockers",
                        row -> blockers.put(
                                new Key(row.getString(1), row.getString(2)),
                                new Blocker(id(row, "waiting"), id(row, "dead"))),
                        subscription,
                        keys.stream().map(Key::type).toArray(String[]::new),
                        keys.stream().map(Key::id).toArray(String[]::new)));
        return blockers;
    }

    private static OptionalLong id(ResultSet row, String column) throws SQLException {
        long id = row.getLong(column);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(id);
    }

    /**
     * Lets messages be tried now and not when their time comes. Attempts count on.
     *
     * @return how many are; the others were tried, given up or blocked meanwhile
     */
    public int retry(Selection.Chunk chunk, Actor signature) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            // A statement of its own: the next one must see all that the save it waited for has written.
            Statement.query(connection, "subscription/lock_subscription", row -> row.getInt(1), chunk.subscription());
            return Statement.query(
                            connection,
                            "retry/retry_waiting",
                            row -> row.getLong(1),
                            chunk.subscription(),
                            chunk.ids(),
                            chunk.versionMicros(),
                            chunk.ids(),
                            chunk.subscription(),
                            signature.who(),
                            signature.reason().orElse(null))
                    .size();
        });
    }

    /**
     * Makes dead letters of messages. What is blocked behind them follows or waits, as for any dead letter.
     *
     * @return how many are; the others were tried, given up or blocked meanwhile
     */
    public int giveUp(Selection.Chunk chunk, Actor signature) throws SQLException {
        if (signature.reason().isEmpty()) {
            throw new IllegalArgumentException("to give up needs a reason");
        }
        return Removal.run(dataSource, "retry/give_up", chunk, signature, Retries::holdBehind);
    }

    /** Each new dead letter may hold back a later message that has a time. */
    private static void holdBehind(Connection connection, String subscription, long[] dead) throws SQLException {
        Statement.update(connection, "store/hold_behind", subscription, subscription, dead);
    }
}
