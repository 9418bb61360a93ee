package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.BadLine;
import dev.caravan.base.message.MessageEdit;
import dev.caravan.base.message.StoredContent;
import dev.caravan.database.Sql;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.intake.Intakes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * A dead letter with its headers and payload.
 *
 * @param createdAt when the message was written to the outbox
 * @param failures its stored failed attempts, oldest first
 * @param content headers and payload
 * @param stack the stack trace of the last error, limited in length
 */
public record DeadLetter(
        DeadLetterSummary summary,
        Instant createdAt,
        List<FailedAttempt> failures,
        StoredContent content,
        String stack) {

    static DeadLetter of(ResultSet row) throws SQLException {
        return new DeadLetter(
                Sql.records(DeadLetterSummary.class).read(row),
                Sql.instant(row, "created_at"),
                FailedAttempt.all(row),
                StoredContent.of(row),
                row.getString("error_stack"));
    }

    /** A dead letter as it is shown to a person. */
    public record View(
            @JsonUnwrapped DeadLetterSummary summary,
            Instant createdAt,
            @JsonUnwrapped ShownContent content,
            String errorStack,
            List<FailedAttempt> failures,
            List<AuditEntry> history) {}

    /** @param history the changes of it that people made */
    public View view(List<AuditEntry> history, Shown shown) {
        return new View(summary, createdAt, shown.of(content), stack, failures, shown.all(history));
    }

    /**
     * Its content after an edit. The headers of a rejected row of an intake are the key of the row, into which the outcome is written: they stay.
     *
     * @throws BadLine if the edit does not fit
     */
    public StoredContent edited(MessageEdit edit) throws BadLine {
        if (edit.hasHeaders() && Intakes.ofSubscription(summary.subscription()).isPresent()) {
            throw new BadLine(
                    "the headers of a rejected row name the row, and stay as they are: headers of the message are in the"
                            + " payload, in its field headers");
        }
        return edit.of(content);
    }

    /** Identifies it without its content, which may be personal. */
    @Override
    public String toString() {
        return "dead letter " + summary.subscription() + " " + summary.id();
    }
}
