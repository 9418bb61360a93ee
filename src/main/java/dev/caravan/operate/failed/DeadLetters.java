package dev.caravan.operate.failed;

import dev.caravan.base.message.StoredContent;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.LaneChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Reads and changes dead letters: messages that are not tried again unless a person retries them. Concurrent changes are safe: each
 * dead letter is retried or discarded once, and each change is atomic.
 */
public final class DeadLetters {
    /** The primary key of a dead letter. */
    public record Place(String subscription, long id) {}

    private final DataSource dataSource;

    public DeadLetters(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public Optional<DeadLetter> find(String subscription, long id) throws SQLException {
        return load(subscription, new long[] {id}).stream().findFirst();
    }

    /** Dead letters with headers and payload, in order of id; those that no longer exist are left out. */
    public List<DeadLetter> load(String subscription, long[] ids) throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/dead_letters_by_id")
                .with("most", StoredContent.MOST_BYTES)
                .with("subscription", subscription)
                .with("ids", ids)
                .query(connection, DeadLetter::of));
    }

    /** The dead letters of a message: at most one per subscription. */
    public List<Place> ofMessage(UUID messageId) throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/dead_letters_of_message")
                .with("messageId", messageId)
                .query(connection, Place.class));
    }

    /**
     * Moves dead letters back to {@code outbox_retry}; their attempts count from zero.
     *
     * @return the number of moved dead letters; the others were retried or discarded meanwhile, or failed again
     */
    public int retry(Selection.Chunk chunk, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> retry(connection, chunk, actor))
                .size();
    }

    /** The same in a transaction of the caller. Returns the ids of the moved dead letters. */
    public static List<Long> retry(Connection connection, Selection.Chunk chunk, Actor actor) throws SQLException {
        LaneChange.lockLanes(connection, chunk.subscription());
        return chunk.statement("operate/retry_dead_letters", "retry", actor).query(connection, row -> row.getLong(1));
    }

    /**
     * Moves one dead letter back to {@code outbox_retry} with other content; the audit stores the original.
     *
     * @return false if it was retried or discarded meanwhile, or failed again
     */
    public boolean retryEdited(DeadLetter letter, StoredContent content, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            LaneChange.lockLanes(connection, letter.summary().subscription());
            return Sql.file("operate/retry_edited_dead_letter")
                    .with("subscription", letter.summary().subscription())
                    .with("id", letter.summary().id())
                    .with(
                            "micros",
                            ChronoUnit.MICROS.between(
                                    Instant.EPOCH, letter.summary().lastFailedAt()))
                    .with("headers", content.headers().orElse(null))
                    .with("payload", content.payload().orElse(null))
                    .with("payloadBytes", content.bytes().orElse(null))
                    .with("who", actor.who())
                    .with("via", actor.via().text())
                    .with("reason", actor.reason().orElse(null))
                    .first(connection, row -> true)
                    .isPresent();
        });
    }
}
