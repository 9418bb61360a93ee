package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.Retries.Blocker;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Formats waiting messages. Payload and header values are included only on request. */
final class WaitingText {
    private WaitingText() {}

    static String error(WaitingSummary message) {
        return message.errorClass().isEmpty()
                ? "-"
                : MessageText.error(
                        message.errorClass().get(), message.errorText().orElse(""));
    }

    /** {@code attempt in 5m 2s}, the id {@code 812} of the message before it, or {@code its turn}. */
    static String waitsFor(WaitingSummary message, Blocker blocker) {
        if (!message.isBlocked()) {
            Duration left =
                    Duration.between(Instant.now(), message.nextAttemptAt().orElseThrow());
            return left.isNegative() ? "attempt now" : "attempt in " + Span.text(left);
        }
        if (blocker.waiting().isPresent()) {
            return Long.toString(blocker.waiting().getAsLong());
        }
        return blocker.dead().isPresent() ? "dead letter " + blocker.dead().getAsLong() + ", or its turn" : "its turn";
    }

    static String text(Waiting message, Blocker blocker, List<AuditEntry> history, boolean payload) {
        WaitingSummary summary = message.summary();
        List<String> lines = new ArrayList<>();
        lines.add("Waiting message " + summary.subscription() + " " + summary.id());
        lines.addAll(MessageText.failure(summary.answer(), summary.errorClass(), summary.errorText()));
        lines.add("  message id    " + summary.messageId());
        lines.add("  key           " + Formatted.line(summary.key().toString(), 200));
        lines.add("  type          " + Formatted.line(summary.type(), 200));
        lines.add("  created       " + message.createdAt());
        lines.add("  waits for     " + waitsFor(summary, blocker)
                + summary.nextAttemptAt().map(time -> " (" + time + ")").orElse(""));
        lines.add("  attempts      " + summary.attempts());
        lines.addAll(MessageText.attempts(message.failures()));
        lines.add("  first failed  "
                + summary.firstFailedAt().map(WaitingText::when).orElse("-"));
        lines.add("  last failed   "
                + summary.lastFailedAt().map(WaitingText::when).orElse("-"));
        lines.add("  edited        " + (summary.edited() ? "yes, before this retry" : "no"));
        lines.add("  headers       " + MessageText.headers(message.content(), payload));
        lines.add("  payload       " + MessageText.payload(message.content(), payload));
        history.forEach(entry -> lines.add("  " + AuditText.line(entry, payload)));
        return String.join("\n", lines);
    }

    private static String when(Instant time) {
        return time + " (" + Formatted.ago(time) + ")";
    }
}
