package dev.caravan.operate.failed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.text.StoredJson;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.Retries.Blocker;
import dev.caravan.operate.partition.Partition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Converts objects to maps for JSON output. Names and order of the fields are part of the API. */
public final class Fields {
    private static final ObjectMapper JSON = StoredJson.mapper().build();

    private Fields() {}

    public static Map<String, Object> of(DeadLetterSummary letter) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", letter.subscription());
        fields.put("id", letter.id());
        fields.put("messageId", letter.messageId().toString());
        fields.put("aggregateType", letter.key().type());
        fields.put("aggregateId", letter.key().id());
        fields.put("type", letter.type());
        fields.put("attempts", letter.attempts());
        fields.put("firstFailedAt", letter.firstFailedAt().toString());
        fields.put("lastFailedAt", letter.lastFailedAt().toString());
        fields.put("errorClass", letter.errorClass());
        fields.put("errorText", letter.errorText());
        fields.put("answer", letter.answer().orElse(null));
        fields.put("step", letter.step().orElse(null));
        fields.put("edited", letter.edited());
        fields.put("group", letter.group().toString());
        return fields;
    }

    public static Map<String, Object> of(DeadLetter letter, List<AuditEntry> history, Shown shown) {
        Map<String, Object> fields = of(letter.summary());
        fields.put("createdAt", letter.createdAt().toString());
        fields.putAll(content(letter.content(), shown));
        fields.put("errorStack", letter.stack());
        fields.put("failures", failures(letter.failures()));
        fields.put("history", history.stream().map(entry -> of(entry, shown)).toList());
        return fields;
    }

    public static Map<String, Object> of(Discarded message) {
        Map<String, Object> fields = of(message.letter());
        fields.put("discard", message.discard().toString());
        fields.put("discardedAt", message.at().toString());
        fields.put("discardedBy", message.who());
        fields.put("reason", message.reason());
        return fields;
    }

    public static Map<String, Object> of(WaitingSummary message, Blocker blocker) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", message.subscription());
        fields.put("id", message.id());
        fields.put("messageId", message.messageId().toString());
        fields.put("aggregateType", message.key().type());
        fields.put("aggregateId", message.key().id());
        fields.put("type", message.type());
        fields.put("attempts", message.attempts());
        fields.put("blocked", message.isBlocked());
        fields.put("nextAttemptAt", text(message.nextAttemptAt()));
        fields.put("waitsForId", message.isBlocked() ? orNull(blocker.waiting()) : null);
        fields.put("deadLetterOfKey", message.isBlocked() ? orNull(blocker.dead()) : null);
        fields.put("firstFailedAt", text(message.firstFailedAt()));
        fields.put("lastFailedAt", text(message.lastFailedAt()));
        fields.put("errorClass", message.errorClass().orElse(null));
        fields.put("errorText", message.errorText().orElse(null));
        fields.put("answer", message.answer().orElse(null));
        fields.put("edited", message.edited());
        return fields;
    }

    public static Map<String, Object> of(Waiting message, Blocker blocker, List<AuditEntry> history, Shown shown) {
        Map<String, Object> fields = of(message.summary(), blocker);
        fields.put("createdAt", message.createdAt().toString());
        fields.putAll(content(message.content(), shown));
        fields.put("failures", failures(message.failures()));
        fields.put("history", history.stream().map(entry -> of(entry, shown)).toList());
        return fields;
    }

    /** Failed attempts, oldest first. */
    public static List<Map<String, Object>> failures(List<FailedAttempt> attempts) {
        return attempts.stream().map(Fields::of).toList();
    }

    private static Map<String, Object> of(FailedAttempt attempt) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("at", attempt.at().toString());
        fields.put("attempt", attempt.attempt());
        fields.put("relay", attempt.relay());
        fields.put("durationMillis", attempt.duration().toMillis());
        fields.put("errorClass", attempt.errorClass());
        fields.put("errorText", attempt.errorText());
        fields.put("answer", attempt.answer().orElse(null));
        return fields;
    }

    public static Map<String, Object> of(AuditEntry entry, Shown shown) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", entry.id());
        fields.put("at", entry.at().toString());
        fields.put("who", entry.who());
        fields.put("via", entry.via());
        fields.put("action", entry.action());
        fields.put("subscription", entry.subscription());
        fields.put("message", entry.message().orElse(null));
        fields.put("reason", entry.reason().orElse(null));
        fields.put("detail", detail(entry, shown));
        return fields;
    }

    /** The detail of an entry. The original of an edited message is filtered like other content. */
    public static ObjectNode detail(AuditEntry entry, Shown shown) {
        try {
            String detail =
                    shown instanceof Shown.Content content ? content.filter().apply(entry.detail()) : entry.detail();
            ObjectNode fields = (ObjectNode) JSON.readTree(detail);
            if (shown instanceof Shown.NamesOnly) {
                fields.remove("original");
            } else if (shown instanceof Shown.Content content
                    && fields.path("original").path("payload").isTextual()) {
                ObjectNode original = (ObjectNode) fields.get("original"); // its payload is a text that is JSON
                original.put(
                        "payload",
                        content.filter().apply(original.get("payload").textValue()));
            }
            return fields;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e); // the column is jsonb, so this is always JSON
        }
    }

    public static Map<String, Object> of(Partition partition) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("partition", partition.name());
        fields.put("fromId", partition.ids().map(Partition.Ids::lower).orElse(null));
        fields.put("toId", partition.ids().map(ids -> ids.upper() - 1).orElse(null));
        fields.put("rowsEstimate", orNull(partition.rows()));
        fields.put("bytes", orNull(partition.bytes()));
        fields.put("oldest", text(partition.oldest()));
        fields.put("newest", text(partition.newest()));
        fields.put("state", word(partition.state()));
        fields.put(
                "heldBackBy",
                partition.state() == Partition.State.HELD_BACK
                        ? partition.holders().stream()
                                .map(holder ->
                                        Map.of("subscription", holder.subscription(), "reason", word(holder.reason())))
                                .toList()
                        : List.of());
        return fields;
    }

    /** The headers and payload of a message, or only the names of the headers; of a binary payload also the size; of a large content only the size. */
    public static Map<String, Object> content(StoredContent stored, Shown shown) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (stored.leftOut() > 0) {
            fields.put("leftOutBytes", stored.leftOut());
            return fields;
        }
        if (shown instanceof Shown.Content content) {
            fields.put("headers", raw(stored.headers(), content));
            fields.put("payload", raw(stored.payload(), content));
            stored.bytes().ifPresent(bytes -> fields.put("payloadBase64", bytes)); // written as Base64
        } else {
            fields.put("headerNames", headerNames(stored.headers()));
        }
        stored.bytes().ifPresent(bytes -> fields.put("binarySize", bytes.length));
        return fields;
    }

    private static RawValue raw(Optional<String> json, Shown.Content content) {
        return json.map(content.filter()).map(RawValue::new).orElse(null);
    }

    /** The names of the headers, without values. */
    public static List<String> headerNames(Optional<String> headers) {
        List<String> names = new ArrayList<>();
        try {
            JSON.readTree(headers.orElse("{}")).fieldNames().forEachRemaining(names::add);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e); // the column is jsonb, so this is always JSON
        }
        return names;
    }

    private static Long orNull(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }

    private static String text(Optional<Instant> time) {
        return time.map(Instant::toString).orElse(null);
    }

    /** The name of a value in lower case, such as {@code held-back}. */
    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Map<String, Object> of(DeliveredSince since, Instant now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", since.subscription());
        fields.put("from", since.from().map(Instant::toString).orElse(null));
        fields.put("delivered", since.from().isPresent() ? since.delivered() : null);
        fields.put(
                "lastDeliveryAfter",
                since.lastDeliveryAfter().map(Instant::toString).orElse(null));
        fields.put("died", since.died());
        fields.put("owned", since.owned());
        fields.put(
                "unavailableSince",
                since.unavailableSince().map(Instant::toString).orElse(null));
        fields.put("text", since.text(now));
        return fields;
    }

    /** A group of dead letters, without its dead letters. */
    public static Map<String, Object> of(DeadLetterGroups.Group group) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", group.subscription());
        fields.put("group", group.group().toString());
        fields.put("errorClass", group.errorClass());
        fields.put("error", group.error());
        fields.put("pattern", group.pattern());
        fields.put("known", group.mark().map(GroupMarks.Mark::known).orElse(false));
        fields.put("note", group.mark().flatMap(GroupMarks.Mark::note).orElse(null));
        fields.put("markedBy", group.mark().map(GroupMarks.Mark::who).orElse(null));
        fields.put("markedAt", group.mark().map(mark -> mark.at().toString()).orElse(null));
        fields.put("count", group.count());
        fields.put("firstSeen", group.firstSeen().toString());
        fields.put("lastSeen", group.lastSeen().toString());
        fields.put("trend", group.trend());
        return fields;
    }
}
