package dev.caravan.operate.failed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.Retries.Blocker;
import java.util.List;
import java.util.Optional;

/** What is shown of messages and their history. */
public final class Fields {
    private Fields() {}

    /** Records that are shown as they are. */
    public static Object of(Record record) {
        return record;
    }

    public static Object of(DeadLetter letter, List<AuditEntry> history, Shown shown) {
        return letter.view(history, shown);
    }

    public static Object of(WaitingSummary message, Blocker blocker) {
        return message.with(blocker);
    }

    public static Object of(Waiting message, Blocker blocker, List<AuditEntry> history, Shown shown) {
        return message.view(blocker, history, shown);
    }

    public static Object of(AuditEntry entry, Shown shown) {
        return shown.of(entry);
    }

    public static ObjectNode detail(AuditEntry entry, Shown shown) {
        return shown.of(entry).fields();
    }

    public static List<String> headerNames(Optional<String> headers) {
        return ShownContent.headerNames(headers);
    }
}
