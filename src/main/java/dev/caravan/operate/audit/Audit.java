package dev.caravan.operate.audit;

import dev.caravan.base.message.Json;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** The table {@code outbox_audit}: the changes that people made. An entry is written in the transaction of its change. */
public final class Audit {
    private final DataSource dataSource;

    public Audit(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Newest first. */
    public List<AuditEntry> latest(int limit) throws SQLException {
        return latest(Long.MAX_VALUE, limit);
    }

    /**
     * Newest first.
     *
     * @param before only entries with a lower id
     */
    public List<AuditEntry> latest(long before, int limit) throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> Statement.query(connection, "operate/latest_audit", AuditEntry::of, before, limit));
    }

    /** Newest first. */
    public List<AuditEntry> ofSubscription(String subscription, int limit) throws SQLException {
        return ofSubscription(subscription, Long.MAX_VALUE, limit);
    }

    /**
     * Newest first.
     *
     * @param before only entries with a lower id
     */
    public List<AuditEntry> ofSubscription(String subscription, long before, int limit) throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> Statement.query(
                        connection, "operate/audit_of_subscription", AuditEntry::of, subscription, before, limit));
    }

    /** Oldest first. */
    public List<AuditEntry> ofMessage(String subscription, long id) throws SQLException {
        return Transaction.run(dataSource, connection -> ofMessage(connection, List.of(subscription), id));
    }

    /** The changes of a message in these subscriptions, oldest first. */
    public static List<AuditEntry> ofMessage(Connection connection, List<String> subscriptions, long id)
            throws SQLException {
        String[] names = subscriptions.toArray(String[]::new);
        return Statement.query(connection, "operate/audit_of_message", AuditEntry::of, names, id, id, names);
    }

    /** Writes an entry and returns its id. */
    public static long write(
            Connection connection, String action, String subscription, Map<String, Object> detail, Actor actor)
            throws SQLException {
        return Statement.query(
                        connection,
                        "operate/write_audit",
                        row -> row.getLong(1),
                        actor.who(),
                        actor.via().text(),
                        action,
                        subscription,
                        Json.line(detail),
                        actor.reason().orElse(null))
                .get(0);
    }

    /** Adds fields to the detail of an entry. */
    public static void add(Connection connection, long entry, Map<String, Object> detail) throws SQLException {
        Statement.update(connection, "operate/update_audit", Json.line(detail), entry);
    }
}
