package dev.caravan.operate.failed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Mask;
import dev.caravan.base.message.StoredContent;
import dev.caravan.operate.audit.AuditEntry;
import java.util.List;
import java.util.function.UnaryOperator;

/** How much of the content of a message is shown. Content may be personal data. */
public sealed interface Shown {
    /** The fields of the detail of an entry with the message before a person edited it. */
    String ORIGINAL = "original";

    String PAYLOAD = "payload";

    /** The names of headers only. */
    Shown NAMES_ONLY = new NamesOnly();

    /** Everything, unchanged. */
    Shown ALL = new Content(UnaryOperator.identity());

    /** Everything except the values of masked fields. */
    static Shown masked(Mask mask) {
        return new Content(mask::hide);
    }

    /** What is shown of a content; of a large one only its size. */
    default ShownContent of(StoredContent stored) {
        return stored.leftOut() > 0 ? new ShownContent.LeftOut(stored.leftOut()) : read(stored);
    }

    /** What is shown of a content that was read. */
    ShownContent read(StoredContent stored);

    /** The entry, whose detail may contain the original of an edited message. */
    AuditEntry of(AuditEntry entry);

    default List<AuditEntry> all(List<AuditEntry> entries) {
        return entries.stream().map(this::of).toList();
    }

    /** @see #NAMES_ONLY */
    record NamesOnly() implements Shown {
        @Override
        public ShownContent read(StoredContent stored) {
            return ShownContent.Names.of(stored);
        }

        @Override
        public AuditEntry of(AuditEntry entry) {
            ObjectNode fields = entry.fields();
            fields.remove(ORIGINAL);
            return entry.withDetail(Json.line(fields));
        }
    }

    /**
     * Payload and headers.
     *
     * @param filter applied to each of the two documents
     */
    record Content(UnaryOperator<String> filter) implements Shown {
        @Override
        public ShownContent read(StoredContent stored) {
            return ShownContent.Values.of(stored, filter);
        }

        @Override
        public AuditEntry of(AuditEntry entry) {
            ObjectNode fields = (ObjectNode) Json.read(filter.apply(entry.detail()));
            if (fields.path(ORIGINAL).path(PAYLOAD).isTextual()) {
                ObjectNode original = (ObjectNode) fields.get(ORIGINAL); // its payload is a text that is JSON
                original.put(PAYLOAD, filter.apply(original.get(PAYLOAD).textValue()));
            }
            return entry.withDetail(Json.line(fields));
        }
    }
}
