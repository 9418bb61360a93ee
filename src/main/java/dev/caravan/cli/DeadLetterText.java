package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Formats dead letters. Payload and header values are included only on request. */
final class DeadLetterText {
    private DeadLetterText() {}

    static String error(DeadLetterSummary letter) {
        return MessageText.error(letter.errorClass(), letter.errorText());
    }

    static String text(DeadLetter letter, List<AuditEntry> history, boolean payload) {
        DeadLetterSummary summary = letter.summary();
        List<String> lines = new ArrayList<>();
        lines.add("Dead letter " + summary.subscription() + " " + summary.id());
        lines.addAll(MessageText.failure(
                summary.answer(), Optional.of(summary.errorClass()), Optional.of(summary.errorText())));
        lines.add("  message id    " + summary.messageId());
        lines.add("  key           " + Formatted.line(summary.key().toString(), 200));
        lines.add("  type          " + Formatted.line(summary.type(), 200));
        lines.add("  created       " + letter.createdAt());
        lines.add("  attempts      " + summary.attempts());
        lines.addAll(MessageText.attempts(letter.failures()));
        lines.add("  first failed  " + summary.firstFailedAt());
        lines.add("  last failed   " + summary.lastFailedAt() + " (" + Formatted.ago(summary.lastFailedAt()) + ")");
        lines.add("  failed at     "
                + summary.step().map(step -> Formatted.line(step, 200)).orElse("-"));
        lines.add("  edited        " + (summary.edited() ? "yes, before the last retry" : "no"));
        lines.add("  headers       " + MessageText.headers(letter.content(), payload));
        lines.add("  payload       " + MessageText.payload(letter.content(), payload));
        lines.add("  stack trace   " + (letter.stack().isEmpty() ? "none" : ""));
        letter.stack().lines().forEach(line -> lines.add("    " + Formatted.line(line, 500)));
        history.forEach(entry -> lines.add("  " + AuditText.line(entry, payload)));
        return String.join("\n", lines);
    }
}
