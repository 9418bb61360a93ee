package dev.caravan.console.api;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.FailedAttempt;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Finds messages of the outbox and their state in each subscription. */
final class MessageSearch {
    /** Number of ids that one request searches. */
    private static final long WINDOW = 50_000;

    private static final int MAX_ITEMS = 100;

    private static final Set<Object> LOOKS_FINISHED = Set.of("delivered", "not selected");

    /** Selects messages. An empty field matches all. */
    record Filter(Optional<Key> key, Optional<UUID> messageId, Optional<String> types) {}

    private record Ends(OptionalLong lowest, OptionalLong highest) {}

    private final DataSource database;

    MessageSearch(DataSource database) {
        this.database = database;
    }

    /**
     * Searches one window of ids, newest first.
     *
     * @param before search only below this id
     */
    Map<String, Object> find(Filter filter, Optional<Long> before) throws SQLException {
        return Transaction.run(database, connection -> {
            Ends ends = Statement.query(connection, "console/outbox_ends", MessageSearch::ends)
                    .get(0);
            long lowest = ends.lowest().orElse(0);
            long from = Math.min(before.orElse(Long.MAX_VALUE), ends.highest().orElse(-1) + 1);
            long to = Math.max(lowest, from - WINDOW);
            List<Map<String, Object>> found = find(connection, filter, from, to);
            boolean cut = found.size() == MAX_ITEMS;
            long searchedDownTo = cut ? (long) found.get(MAX_ITEMS - 1).get("id") : Math.min(to, Math.max(from, 0));
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("items", found);
            fields.put("searchedDownTo", searchedDownTo);
            fields.put("more", searchedDownTo > lowest);
            return fields;
        });
    }

    private static List<Map<String, Object>> find(Connection connection, Filter filter, long before, long from)
            throws SQLException {
        String keyType = filter.key().map(Key::type).orElse(null);
        return Statement.query(
                connection,
                "console/find_messages",
                MessageSearch::summary,
                before,
                from,
                keyType,
                keyType,
                filter.key().map(Key::id).orElse(null),
                filter.messageId().map(UUID::toString).orElse(null),
                filter.messageId().map(UUID::toString).orElse(null),
                TypePatterns.like(filter.types().orElse("*")),
                MAX_ITEMS);
    }

    private static Ends ends(ResultSet row) throws SQLException {
        return new Ends(number(row, "lowest"), number(row, "highest"));
    }

    private static OptionalLong number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
    }

    private static Map<String, Object> summary(ResultSet row) throws SQLException {
        Map<String, Object> fields = identity(row);
        fields.put("bytes", row.getLong("bytes"));
        return fields;
    }

    private static Map<String, Object> identity(ResultSet row) throws SQLException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", row.getLong("id"));
        fields.put("messageId", row.getString("message_id"));
        fields.put("key", row.getString("aggregate_type") + "/" + row.getString("aggregate_id"));
        fields.put("aggregateType", row.getString("aggregate_type"));
        fields.put("aggregateId", row.getString("aggregate_id"));
        fields.put("type", row.getString("type"));
        fields.put("createdAt", time(row, "created_at"));
        return fields;
    }

    /** A message with its state in each subscription; empty when no message has this id. */
    Optional<Map<String, Object>> show(long id, Shown shown) throws SQLException {
        return Transaction.run(database, connection -> {
            List<Map<String, Object>> found = Statement.query(
                    connection,
                    "console/message_by_id",
                    row -> whole(row, shown),
                    StoredContent.MOST_BYTES,
                    id,
                    id,
                    id,
                    id);
            return found.isEmpty() ? Optional.empty() : Optional.of(withStates(connection, found.get(0), id));
        });
    }

    /** The last change by a person of a message that is no longer stored; empty if there is none. */
    Optional<AuditEntry> lastChange(long id) throws SQLException {
        List<String> subscriptions = new Subscriptions(database).names();
        return Transaction.run(database, connection -> Audit.ofMessage(connection, subscriptions, id).stream()
                .reduce((first, second) -> second));
    }

    private static Map<String, Object> withStates(Connection connection, Map<String, Object> message, long id)
            throws SQLException {
        List<Map<String, Object>> subscriptions = Statement.query(
                connection,
                "console/message_states",
                MessageSearch::state,
                message.get("type"),
                message.get("aggregateType"),
                message.get("aggregateId"),
                id);
        List<AuditEntry> audit = Audit.ofMessage(
                connection,
                subscriptions.stream()
                        .map(state -> (String) state.get("subscription"))
                        .toList(),
                id);
        subscriptions.forEach(state -> markDiscarded(state, audit));
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("message", message);
        fields.put("subscriptions", subscriptions);
        fields.put(
                "audit",
                audit.stream().map(entry -> Fields.of(entry, Shown.NAMES_ONLY)).toList());
        return fields;
    }

    /** Corrects the state of a discarded message: only the audit distinguishes it from a delivered or not selected one. */
    private static void markDiscarded(Map<String, Object> state, List<AuditEntry> audit) {
        audit.stream()
                .filter(entry -> entry.subscription().equals(state.get("subscription")))
                .reduce((first, second) -> second)
                .filter(last -> last.action().equals("discard") && LOOKS_FINISHED.contains(state.get("state")))
                .ifPresent(last -> state.put("state", "discarded"));
    }

    private static Map<String, Object> state(ResultSet row) throws SQLException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", row.getString("name"));
        fields.put("state", stateName(row));
        fields.put("lane", row.getInt("lane"));
        fields.put("owner", row.getString("owner"));
        fields.put("paused", row.getBoolean("paused"));
        if (row.getObject("attempts") != null) {
            fields.put("attempts", row.getInt("attempts"));
            fields.put("nextAttemptAt", time(row, "next_attempt_at"));
            fields.put("firstFailedAt", time(row, "first_failed_at"));
            fields.put("lastFailedAt", time(row, "last_failed_at"));
            fields.put("errorClass", row.getString("error_class"));
            fields.put("errorText", row.getString("error_text"));
            fields.put("answer", row.getString("answer"));
            fields.put("failures", Fields.failures(FailedAttempt.all(row)));
        }
        return fields;
    }

    private static String stateName(ResultSet row) throws SQLException {
        if (row.getBoolean("dead")) {
            return "dead";
        }
        if (row.getObject("blocked") != null) {
            return row.getBoolean("blocked") ? "blocked" : "waiting";
        }
        if (row.getBoolean("not_selected")) {
            return "not selected";
        }
        if (row.getBoolean("not_reached")) {
            return "not reached";
        }
        if (row.getBoolean("open")) {
            return row.getString("owner") == null ? "not delivered yet" : "in flight";
        }
        return "delivered";
    }

    private static Map<String, Object> whole(ResultSet row, Shown shown) throws SQLException {
        Map<String, Object> fields = identity(row);
        fields.put("pruned", row.getInt("place") > 1);
        fields.putAll(Fields.content(StoredContent.of(row), shown));
        return fields;
    }

    private static String time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant().toString();
    }
}
