package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.StoredContent;
import dev.caravan.database.Sql;
import dev.caravan.operate.audit.AuditEntry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * A whole waiting message.
 *
 * @param createdAt when the message was written to the outbox
 * @param failures its failed attempts that are stored, oldest first
 * @param content headers and payload
 */
public record Waiting(WaitingSummary summary, Instant createdAt, List<FailedAttempt> failures, StoredContent content) {

    static Waiting of(ResultSet row) throws SQLException {
        return new Waiting(
                WaitingSummary.of(row), Sql.instant(row, "created_at"), FailedAttempt.all(row), StoredContent.of(row));
    }

    /** A waiting message as it is shown to a person. */
    public record View(
            @JsonUnwrapped WaitingSummary summary,
            Instant createdAt,
            @JsonUnwrapped ShownContent content,
            List<FailedAttempt> failures,
            List<AuditEntry> history) {}

    /** @param history the changes of it that people made */
    public View view(List<AuditEntry> history, Shown shown) {
        return new View(summary, createdAt, shown.of(content), failures, shown.all(history));
    }

    /** Identifies it without its content, which may be personal data. */
    @Override
    public String toString() {
        return "waiting message " + summary.subscription() + " " + summary.id();
    }
}
