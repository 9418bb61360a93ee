package dev.caravan.operate.failed;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.LaneChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Discards dead letters, and undoes discards while the discarded dead letters are stored. A message is in one table at any moment, also
 * while two people change the same one.
 */
public final class Discards {
    private static final String SETTING = "caravan.discarded.retention";
    private static final int CHUNK = 1_000;

    private final DataSource dataSource;
    private final Duration retention;

    /** @param retention how long discarded dead letters are stored; zero to delete them at once */
    public Discards(DataSource dataSource, Duration retention) {
        this.dataSource = dataSource;
        this.retention = retention;
    }

    /** With the setting {@code caravan.discarded.retention}. */
    public static Discards from(Settings settings, DataSource dataSource) {
        return new Discards(dataSource, retention(settings, SETTING));
    }

    /** The retention in a setting or option of this name. */
    public static Duration retention(Settings settings, String name) {
        return settings.duration(name, "7d", "0s", "3650d");
    }

    /** Whether discarded dead letters are stored for a time, so that a discard can be undone. */
    public boolean canBeUndone() {
        return !retention.isZero();
    }

    /** How long discarded dead letters are stored; zero if they are deleted at once. */
    public Duration retention() {
        return retention;
    }

    /**
     * Discards dead letters. The messages that they block follow.
     *
     * @param discard id of the discard, for {@link MessageFilter}
     * @return the number of discarded dead letters; the others were retried or discarded meanwhile, or failed again
     */
    public int discard(Selection.Chunk chunk, UUID discard, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> discard(connection, chunk, discard, canBeUndone(), actor));
    }

    /** The same in a transaction of the caller. @param isStored whether the discarded dead letters are stored */
    public static int discard(Connection connection, Selection.Chunk chunk, UUID discard, boolean isStored, Actor actor)
            throws SQLException {
        if (actor.reason().isEmpty()) {
            throw new IllegalArgumentException("a discard needs a reason");
        }
        return Removal.run(
                connection,
                chunk.subscription(),
                chunk.statement("operate/discard_dead_letters", "discard", actor)
                        .with("discard", discard)
                        .with("stored", isStored),
                (same, name, ids) -> {});
    }

    /**
     * Moves discarded dead letters back to the dead letters. If dead letters of the subscription block their keys, later messages of these
     * keys that no relay has read wait again.
     *
     * @return the number of those moved; the others were restored or deleted meanwhile, were replayed and are dead or waiting again, or
     *     have an id that another message has got since
     */
    public int undo(Selection.Chunk chunk, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> undo(connection, chunk, actor));
    }

    /** The same in a transaction of the caller. */
    public static int undo(Connection connection, Selection.Chunk chunk, Actor actor) throws SQLException {
        // A separate statement: the next one must see everything that a concurrent save or replay has committed.
        LaneChange.lockLanes(connection, chunk.subscription());
        List<Long> restored =
                chunk.statement("operate/undo_discard", "undo-discard", actor).query(connection, row -> row.getLong(1));
        Retries.blockBehind(connection, chunk.subscription(), restored);
        return restored.size();
    }

    /** One discarded dead letter; empty if it was restored or deleted. */
    public Optional<Discarded> find(String subscription, long id) throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/discarded_by_id")
                .with("subscription", subscription)
                .with("ids", new long[] {id})
                .first(connection, Discarded.class));
    }

    /**
     * Deletes the dead letters that were discarded longer ago than the retention, 1,000 per transaction, and returns their number;
     * fewer if the thread is interrupted. Several relays may call it at the same time.
     */
    public long prune() throws SQLException {
        long pruned = 0;
        for (String subscription : Transaction.run(dataSource, connection -> Sql.file("operate/discarded_subscriptions")
                .query(connection, row -> row.getString(1)))) {
            int chunk;
            do {
                chunk = Transaction.run(dataSource, connection -> Sql.file("operate/prune_discarded")
                        .with("subscription", subscription)
                        .with("seconds", retention.toSeconds())
                        .with("rows", CHUNK)
                        .update(connection));
                pruned += chunk;
            } while (chunk == CHUNK && !Thread.currentThread().isInterrupted());
        }
        return pruned;
    }
}
