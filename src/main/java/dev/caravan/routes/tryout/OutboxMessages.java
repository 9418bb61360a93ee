package dev.caravan.routes.tryout;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Reads single messages to try a route with. Changes nothing. */
public final class OutboxMessages {
    private final DataSource database;

    public OutboxMessages(DataSource database) {
        this.database = database;
    }

    /** Finds a message by its id: in the outbox or, when its partition was pruned, among waiting messages and dead letters. */
    public Optional<Message> find(long id) throws SQLException {
        return Sql.file("console/message_by_id")
                .with("mostBytes", Long.MAX_VALUE)
                .with("id", id)
                .first(database, OutboxMessages::message);
    }

    /** The messages of the outbox above an id, in order. A later message may still appear between them. */
    public List<Message> after(long id) throws SQLException {
        return Sql.file("routes/messages_after").with("id", id).query(database, OutboxMessages::message);
    }

    private static Message message(ResultSet row) throws SQLException {
        return new Message(
                row.getLong("id"),
                row.getObject("message_id", UUID.class),
                new Key(row.getString("aggregate_type"), row.getString("aggregate_id")),
                row.getString("type"),
                row.getString("headers"),
                row.getString("payload"),
                row.getBytes("payload_bytes"),
                Sql.instant(row, "created_at"),
                row.getLong("left_out"));
    }
}
