package dev.caravan.operate.audit;

import dev.caravan.base.message.Json;
import dev.caravan.base.message.StoredContent;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.list.Parts;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** The table {@code outbox_audit}: the changes that people made. An entry is written in the transaction of its change. */
public final class Audit {
    private static final int PART = 100;

    private final DataSource dataSource;

    public Audit(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Newest first.
     *
     * @param subscription empty for those of all
     * @param before only entries with a lower id
     */
    public List<AuditEntry> latest(Optional<String> subscription, long before, int limit) throws SQLException {
        return Transaction.run(dataSource, connection -> subscription
                .map(name -> Sql.file("operate/audit_of_subscription").with("subscription", name))
                .orElseGet(() -> Sql.file("operate/latest_audit"))
                .with("before", before)
                .with("limit", limit)
                .with("most", StoredContent.MOST_BYTES)
                .query(connection, AuditEntry.class));
    }

    /**
     * All entries, newest first.
     *
     * @param subscription empty for those of all
     */
    public Parts<AuditEntry> parts(Optional<String> subscription) {
        return Parts.of(
                PART, last -> latest(subscription, last.map(AuditEntry::id).orElse(Long.MAX_VALUE), PART));
    }

    /** Oldest first. */
    public List<AuditEntry> ofMessage(String subscription, long id) throws SQLException {
        return Transaction.run(dataSource, connection -> ofMessage(connection, List.of(subscription), id));
    }

    /** The changes of a message in these subscriptions, oldest first. */
    public static List<AuditEntry> ofMessage(Connection connection, List<String> subscriptions, long id)
            throws SQLException {
        String[] names = subscriptions.toArray(String[]::new);
        return Sql.file("operate/audit_of_message")
                .with("subscriptions", names)
                .with("id", id)
                .with("most", StoredContent.MOST_BYTES)
                .query(connection, AuditEntry.class);
    }

    /** Writes an entry and returns its id. */
    public static long write(
            Connection connection, String action, String subscription, Map<String, Object> detail, Actor actor)
            throws SQLException {
        return Sql.file("operate/write_audit")
                .with("who", actor.who())
                .with("via", actor.via().text())
                .with("action", action)
                .with("subscription", subscription)
                .with("detail", Json.line(detail))
                .with("reason", actor.reason().orElse(null))
                .first(connection, row -> row.getLong(1))
                .orElseThrow();
    }

    /**
     * Adds fields to the detail of the entry of a change that has not finished. Changes no entry of another action or subscription: which one a job
     * names may be written by any role that may insert jobs.
     */
    public static void add(
            Connection connection, long entry, String action, String subscription, Map<String, Object> detail)
            throws SQLException {
        Sql.file("operate/update_audit")
                .with("action", action)
                .with("subscription", subscription)
                .with("detail", Json.line(detail))
                .with("id", entry)
                .update(connection);
    }
}
