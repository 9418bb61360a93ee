package dev.caravan.deadletter;

import dev.caravan.audit.Actor;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.selection.Removal;
import dev.caravan.selection.Selection;
import dev.caravan.subscription.LaneChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The messages that are not tried again unless a person retries them. Any number of people may work on them at once: each
 * dead letter is retried or discarded once, and each change is whole or not at all.
 */
public final class DeadLetters {
    /** Where a dead letter is. */
    public record Place(String subscription, long id) {}

    private final DataSource dataSource;

    public DeadLetters(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public Optional<DeadLetter> find(String subscription, long id) throws SQLException {
        return load(subscription, new long[] {id}).stream().findFirst();
    }

    /** Whole dead letters in order of id; those that are gone meanwhile are missing. */
    public List<DeadLetter> load(String subscription, long[] ids) throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> Statement.query(
                        connection, "deadletter/dead_letters_by_id", DeadLetter::of, subscription, ids));
    }

    /** Where the message is dead: one place per subscription. */
    public List<Place> ofMessage(UUID messageId) throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> Statement.query(
                        connection,
                        "deadletter/dead_letters_of_message",
                        row -> new Place(row.getString(1), row.getLong(2)),
                        messageId));
    }

    /**
     * Lets messages be delivered again, with attempts counted anew.
     *
     * @return how many were; the others were retried or discarded meanwhile, or died again
     */
    public int retry(Selection.Chunk chunk, Actor signature) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            LaneChange.keepOut(connection, chunk.subscription());
            return moveBack(connection, chunk, signature);
        });
    }

    /**
     * Removes messages for good.
     *
     * @return how many were; the others were retried or discarded meanwhile, or died again
     */
    public int discard(Selection.Chunk chunk, Actor signature) throws SQLException {
        if (signature.reason().isEmpty()) {
            throw new IllegalArgumentException("a discard needs a reason");
        }
        return Removal.run(
                dataSource, "deadletter/discard_dead_letters", chunk, signature, (connection, name, ids) -> {});
    }

    private static int moveBack(Connection connection, Selection.Chunk chunk, Actor signature) throws SQLException {
        return Statement.query(
                        connection,
                        "deadletter/retry_dead_letters",
                        row -> row.getLong(1),
                        chunk.subscription(),
                        chunk.ids(),
                        chunk.versionMicros(),
                        chunk.ids(),
                        chunk.subscription(),
                        signature.who(),
                        signature.reason().orElse(null))
                .size();
    }

    /**
     * Lets one message be delivered again with another content; the audit keeps the original.
     *
     * @param headers a JSON object, empty for none
     * @param payload JSON, empty for an empty body
     * @return false when it was retried or discarded meanwhile, or died again
     */
    public boolean retryEdited(DeadLetter letter, Optional<String> headers, Optional<String> payload, Actor signature)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            LaneChange.keepOut(connection, letter.summary().subscription());
            return !Statement.query(
                            connection,
                            "deadletter/retry_edited_dead_letter",
                            row -> row.getLong(1),
                            letter.summary().subscription(),
                            letter.summary().id(),
                            ChronoUnit.MICROS.between(
                                    Instant.EPOCH, letter.summary().lastFailedAt()),
                            headers.orElse(null),
                            payload.orElse(null),
                            signature.who(),
                            signature.reason().orElse(null))
                    .isEmpty();
        });
    }
}
