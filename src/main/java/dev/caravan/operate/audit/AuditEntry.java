package dev.caravan.operate.audit;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.message.Json;
import java.time.Instant;
import java.util.List;
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
@JsonPropertyOrder({"id", "at", "who", "via", "action", "subscription", "message", "reason", "detail"})
public record AuditEntry(
        long id,
        Instant at,
        String who,
        String via,
        String action,
        String subscription,
        Optional<Long> message,
        @JsonIgnore String detail,
        Optional<String> reason) {
    /** The names of all fields. */
    public static final List<String> COLUMNS = Json.names(AuditEntry.class);

    /** The detail as a tree. */
    @JsonProperty("detail")
    public ObjectNode fields() {
        return (ObjectNode) Json.read(detail);
    }

    /** The entry with another detail. */
    public AuditEntry withDetail(String other) {
        return new AuditEntry(id, at, who, via, action, subscription, message, other, reason);
    }

    /** Leaves out the detail, which may contain a payload. */
    @Override
    public String toString() {
        return action + " of " + subscription + message.map(id -> " " + id).orElse("") + " by " + who;
    }
}
