package dev.caravan.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.text.Formatted;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.audit.Via;
import dev.caravan.operate.failed.Shown;
import java.util.stream.Collectors;

/** Formats entries of the audit. The original content of an edited message is included only on request. */
final class AuditText {
    private AuditText() {}

    /** {@code 2026-03-01T12:00:00Z retry by anna via proxy: the number is corrected}; without {@code via} for the command line. */
    static String line(AuditEntry entry, boolean original) {
        ObjectNode detail = detail(entry, original);
        return entry.at() + "  " + entry.action() + " by " + Formatted.line(entry.who(), 100)
                + (entry.via().equals(Via.COMMAND.text()) ? "" : " via " + entry.via())
                + entry.reason()
                        .map(reason -> ": " + Formatted.line(reason, 500))
                        .orElse("")
                + (detail.path("edited").asBoolean() ? " (payload or headers were changed)" : "")
                + (detail.has("original") ? "\n    original: " + detail.get("original") : "");
    }

    /** {@code messages=10, finished=true}. */
    static String summary(AuditEntry entry, boolean original) {
        String parts = detail(entry, original).properties().stream()
                .map(field -> field.getKey() + "=" + text(field.getValue()))
                .collect(Collectors.joining(", "));
        return Formatted.line(parts, original ? Integer.MAX_VALUE : 120);
    }

    private static String text(JsonNode value) {
        return value.isValueNode() ? value.asText() : value.toString();
    }

    private static ObjectNode detail(AuditEntry entry, boolean original) {
        return shown(original).of(entry).fields();
    }

    static Shown shown(boolean payload) {
        return payload ? Shown.ALL : Shown.NAMES_ONLY;
    }
}
