package dev.caravan.engine.store;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Reads a message from the first ten columns of a row, which the statements return in the same order. */
final class MessageRow {
    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private MessageRow() {}

    /**
     * @param type returns one instance of each type of a message or key, which saves memory
     * @return a message that is not selected if the row has no message id
     */
    static Message of(ResultSet row, UnaryOperator<String> type) throws SQLException {
        long id = row.getLong(1);
        UUID messageId = row.getObject(2, UUID.class);
        if (messageId == null) {
            return Message.notSelected(id);
        }
        return new Message(
                id,
                messageId,
                new Key(type.apply(row.getString(3)), row.getString(4)),
                type.apply(row.getString(5)),
                row.getString(6),
                row.getString(7),
                row.getBytes(8),
                createdAt(row),
                row.getLong(10));
    }

    /**
     * The time from 1970 to 9999 that is nearest: Postgres also stores {@code infinity}. Reads it as a timestamp, because an
     * {@code OffsetDateTime} and its parts take twice the memory.
     */
    private static Instant createdAt(ResultSet row) throws SQLException {
        Timestamp stored = row.getTimestamp(9);
        if (stored == null || stored.toInstant().isBefore(EARLIEST)) {
            return EARLIEST;
        }
        Instant time = stored.toInstant();
        return time.isAfter(LATEST) ? LATEST : time;
    }
}
