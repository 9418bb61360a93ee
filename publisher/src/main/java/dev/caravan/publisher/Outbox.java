package dev.caravan.publisher;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * Publishes messages: inserts them into the outbox in the transaction of the connection. The role of the application needs only
 * {@code insert} on the table. Thread-safe; it holds no connection.
 */
public final class Outbox {
    private static final String COLUMNS = " (message_id, aggregate_type, aggregate_id, type, payload, headers)";
    private static final String COLUMNS_WITH_BYTES =
            " (message_id, aggregate_type, aggregate_id, type, payload, headers, payload_bytes)";

    /** SQLSTATE no_active_sql_transaction. */
    private static final String NO_ACTIVE_TRANSACTION = "25P01";

    private final String insertOne;
    private final String insertBytes;
    private final String insertMany;
    private final String insertManyWithBytes;

    private Outbox(String table) {
        insertOne = "insert into " + table + COLUMNS + " values (?, ?, ?, ?, ?::json, ?::jsonb)";
        insertBytes = "insert into " + table
                + " (message_id, aggregate_type, aggregate_id, type, payload_bytes, headers) values (?, ?, ?, ?, ?, ?::jsonb)";
        insertMany = "insert into " + table + COLUMNS
                + " select message_id, aggregate_type, aggregate_id, type, payload::json, headers::jsonb"
                + " from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) with ordinality"
                + " as m (message_id, aggregate_type, aggregate_id, type, payload, headers, n) order by n";
        insertManyWithBytes = "insert into " + table + COLUMNS_WITH_BYTES
                + " select message_id, aggregate_type, aggregate_id, type, payload::json, headers::jsonb, payload_bytes"
                + " from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bytea[]) with ordinality"
                + " as m (message_id, aggregate_type, aggregate_id, type, payload, headers, payload_bytes, n) order by n";
    }

    /** The table {@code outbox} of the first schema of the connection's search path that has one; usually {@code public}. */
    public static Outbox onSearchPath() {
        return new Outbox("outbox");
    }

    /**
     * The table {@code outbox} of a schema.
     *
     * @param schema its name, as in {@code caravan.schema}, without quotes
     */
    public static Outbox inSchema(String schema) {
        return new Outbox('"' + schema.replace("\"", "\"\"") + "\".outbox");
    }

    /**
     * Publishes a message. It is delivered if and only if the transaction commits.
     *
     * @param connection in a transaction: the one that also writes the business data
     * @return the message id
     * @throws IllegalStateException if the connection is not in a transaction, because it commits each statement by itself
     *     (auto-commit); nothing is written
     * @throws SQLException if the database refuses the message, for example because the payload is not JSON. As after each failed
     *     statement, Postgres accepts only a rollback of the transaction.
     */
    public UUID publish(Connection connection, Message message) throws SQLException {
        requireTransaction(connection);
        byte[] bytes = message.payloadBytes();
        try (PreparedStatement insert = connection.prepareStatement(bytes == null ? insertOne : insertBytes)) {
            insert.setObject(1, message.id());
            insert.setString(2, message.aggregateType());
            insert.setString(3, message.aggregateId());
            insert.setString(4, message.type());
            if (bytes == null) {
                insert.setString(5, message.payload());
            } else {
                insert.setBytes(5, bytes);
            }
            insert.setString(6, HeadersJson.of(message.headers()));
            insert.executeUpdate();
        }
        return message.id();
    }

    /**
     * Publishes messages in the order of the list, in one statement.
     *
     * @param connection in a transaction: the one that also writes the business data
     * @return the message ids, in the same order
     * @throws IllegalArgumentException if two messages have the same message id: receivers would drop the second one; nothing is written
     * @throws IllegalStateException if the connection is not in a transaction, because it commits each statement by itself
     *     (auto-commit); nothing is written
     * @throws SQLException if the database refuses a message; none is written
     */
    public List<UUID> publish(Connection connection, List<Message> messages) throws SQLException {
        List<UUID> ids = requireDifferentIds(messages);
        requireTransaction(connection);
        List<Array> arrays = new ArrayList<>();
        byte[][] bytes = messages.stream().map(Message::payloadBytes).toArray(byte[][]::new);
        boolean binary = Arrays.stream(bytes).anyMatch(Objects::nonNull);
        try (PreparedStatement insert = connection.prepareStatement(binary ? insertManyWithBytes : insertMany)) {
            arrays.add(connection.createArrayOf("uuid", ids.toArray()));
            arrays.add(text(connection, messages, Message::aggregateType));
            arrays.add(text(connection, messages, Message::aggregateId));
            arrays.add(text(connection, messages, Message::type));
            arrays.add(text(connection, messages, Message::payload));
            arrays.add(text(connection, messages, message -> HeadersJson.of(message.headers())));
            if (binary) {
                arrays.add(connection.createArrayOf("bytea", bytes));
            }
            for (int i = 0; i < arrays.size(); i++) {
                insert.setArray(i + 1, arrays.get(i));
            }
            insert.executeUpdate();
        } finally {
            for (Array array : arrays) {
                array.free();
            }
        }
        return ids;
    }

    private static Array text(Connection connection, List<Message> messages, Function<Message, String> component)
            throws SQLException {
        return connection.createArrayOf("text", messages.stream().map(component).toArray());
    }

    private static List<UUID> requireDifferentIds(List<Message> messages) {
        List<UUID> ids = messages.stream().map(Message::id).toList();
        Set<UUID> seen = new HashSet<>();
        for (UUID id : ids) {
            if (!seen.add(id)) {
                throw new IllegalArgumentException("two messages have the message id " + id
                        + ": receivers would treat the second one as a repeat; use different ids");
            }
        }
        return ids;
    }

    private static void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit() && !isInTransaction(connection)) {
            throw new IllegalStateException(
                    "the connection is not in a transaction, so the message would be committed without the"
                            + " business data: call setAutoCommit(false), or take the connection of the running transaction"
                            + " (with Spring, DataSourceUtils.getConnection)");
        }
    }

    /** Asks the database, because the driver may report auto-commit in an XA transaction. */
    private static boolean isInTransaction(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("savepoint caravan_publisher");
            statement.execute("release savepoint caravan_publisher");
            return true;
        } catch (SQLException e) {
            if (NO_ACTIVE_TRANSACTION.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }
}
