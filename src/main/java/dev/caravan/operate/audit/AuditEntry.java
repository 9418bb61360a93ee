package dev.caravan.operate.audit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * A change that a person made.
 *
 * @param via how the person made the change, such as {@code command} or {@code proxy}
 * @param action the name of the command, such as {@code retry}
 * @param message id of the message in the outbox, if a single message was changed
 * @param detail a JSON object; for an edited message it contains the original payload and headers, for a step of a change of many
 *     their number and the lowest and highest id
 */
public record AuditEntry(
        long id,
        Instant at,
        String who,
        String via,
        String action,
        String subscription,
        Optional<Long> message,
        String detail,
        Optional<String> reason) {

    static AuditEntry of(ResultSet row) throws SQLException {
        return new AuditEntry(
                row.getLong("id"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("who"),
                row.getString("via"),
                row.getString("action"),
                row.getString("subscription"),
                Optional.ofNullable((Long) row.getObject("message")),
                row.getString("detail"),
                Optional.ofNullable(row.getString("reason")));
    }

    /** Leaves out the detail, which may contain a payload. */
    @Override
    public String toString() {
        return action + " of " + subscription + message.map(id -> " " + id).orElse("") + " by " + who;
    }
}
