package dev.caravan.cli;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.HexDump;
import dev.caravan.base.text.HttpStatusText;
import dev.caravan.base.text.Span;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.FailedAttempt;
import dev.caravan.operate.failed.Retries.Blocker;
import dev.caravan.operate.failed.ShownContent;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** Formats messages. Payload and header values are included only on request. */
final class MessageText {
    private static final int ERROR_WIDTH = 80;

    private static final int ATTEMPT_WIDTH = 160;
    /** Number of bytes of a binary payload that are shown. */
    private static final int BYTES = 512;

    private final List<String> lines = new ArrayList<>();

    private MessageText(String title) {
        lines.add(title);
    }

    static String text(DeadLetter letter, List<AuditEntry> history, boolean payload) {
        DeadLetterSummary summary = letter.summary();
        MessageText text = new MessageText("Dead letter " + summary.subscription() + " " + summary.id());
        text.failure(summary.answer(), Optional.of(summary.errorClass()), Optional.of(summary.errorText()));
        text.message(summary.messageId(), summary.key(), summary.type(), letter.createdAt());
        text.attempts(summary.attempts(), letter.failures());
        text.line("first failed", summary.firstFailedAt());
        text.line("last failed", when(summary.lastFailedAt()));
        text.line(
                "failed at",
                summary.step().map(step -> Formatted.line(step, 200)).orElse("-"));
        text.line("edited", summary.edited() ? "yes, before the last retry" : "no");
        text.content(letter.content(), payload);
        text.line("stack trace", letter.stack().isEmpty() ? "none" : "");
        letter.stack().lines().forEach(line -> text.lines.add("    " + Formatted.line(line, 500)));
        return text.with(history, payload);
    }

    static String text(Waiting message, List<AuditEntry> history, boolean payload) {
        WaitingSummary summary = message.summary();
        MessageText text = new MessageText("Waiting message " + summary.subscription() + " " + summary.id());
        text.failure(summary.answer(), summary.errorClass(), summary.errorText());
        text.message(summary.messageId(), summary.key(), summary.type(), message.createdAt());
        String next = summary.nextAttemptAt().map(time -> " (" + time + ")").orElse("");
        text.line("waits for", waitsFor(summary) + next);
        text.attempts(summary.attempts(), message.failures());
        text.line("first failed", summary.firstFailedAt().map(MessageText::when).orElse("-"));
        text.line("last failed", summary.lastFailedAt().map(MessageText::when).orElse("-"));
        text.line("edited", summary.edited() ? "yes, before this retry" : "no");
        text.content(message.content(), payload);
        return text.with(history, payload);
    }

    private static String when(Instant time) {
        return time + " (" + Formatted.ago(time) + ")";
    }

    /**
     * {@code attempt in 5m 2s}, {@code the destination, probe in 12s}, the id {@code 812} of the message before it, or
     * {@code its turn}.
     */
    static String waitsFor(WaitingSummary message) {
        if (message.obstacle().isPresent()) {
            return message.obstacle().get().text(Instant.now());
        }
        if (!message.isBlocked()) {
            return "attempt "
                    + Span.in(Duration.between(
                            Instant.now(), message.nextAttemptAt().orElseThrow()));
        }
        Blocker blocker = message.blocker();
        if (blocker.waiting().isPresent()) {
            return Long.toString(blocker.waiting().getAsLong());
        }
        return blocker.dead().isPresent() ? "dead letter " + blocker.dead().getAsLong() + ", or its turn" : "its turn";
    }

    /** The class without its package and the start of the text. */
    static String error(String errorClass, String text) {
        return Formatted.line(HttpStatusText.error(errorClass, text), ERROR_WIDTH);
    }

    private void line(String name, Object value) {
        lines.add(String.format(Locale.ROOT, "  %-14s%s", name, value));
    }

    /** The answer of the destination to the last attempt and the error; nothing if there are none. */
    private void failure(Optional<String> answer, Optional<String> errorClass, Optional<String> errorText) {
        answer.ifPresent(text -> line("answer", Formatted.line(text, 2_500)));
        errorClass.ifPresent(name ->
                line("error", Formatted.line((name.isEmpty() ? "" : name + ": ") + errorText.orElse(""), 2_500)));
    }

    private void message(UUID id, Key key, String type, Instant createdAt) {
        line("message id", id);
        line("key", Formatted.line(key.toString(), 200));
        line("type", Formatted.line(type, 200));
        line("created", createdAt);
    }

    private void content(StoredContent content, boolean payload) {
        line("headers", headers(content, payload));
        line("payload", payload(content, payload));
    }

    private String with(List<AuditEntry> history, boolean payload) {
        history.forEach(entry -> lines.add("  " + AuditText.line(entry, payload)));
        return String.join("\n", lines);
    }

    /** One line for each stored attempt, and one for attempts that are not stored. */
    private void attempts(int number, List<FailedAttempt> failures) {
        line("attempts", number);
        FailedAttempt before = null;
        for (FailedAttempt failure : failures) {
            int left = before == null ? 0 : failure.attempt() - before.attempt() - 1;
            if (left > 0) {
                lines.add("    (" + Formatted.counted(left, "attempt") + " not stored)");
            }
            lines.add("    " + attempt(failure));
            before = failure;
        }
    }

    private static String attempt(FailedAttempt failure) {
        String reason = failure.answer()
                .map(answer -> HttpStatusText.answer(answer, failure.errorText()))
                .orElse(failure.errorText());
        return failure.at() + " attempt " + failure.attempt()
                + " by " + failure.relay() + " failed after " + Span.text(failure.duration()) + ": "
                + Formatted.line(reason, ATTEMPT_WIDTH);
    }

    private static String headers(StoredContent content, boolean shown) {
        if (content.leftOut() > 0) {
            return leftOut(content);
        }
        if (content.headers().isEmpty()) {
            return "none";
        }
        return shown ? content.headers().get() : headerNames(content) + " (values with --payload)";
    }

    /** JSON as it is stored; bytes in hexadecimal digits, on separate lines. */
    private static String payload(StoredContent content, boolean shown) {
        if (content.leftOut() > 0) {
            return leftOut(content);
        }
        if (content.isBinary()) {
            byte[] bytes = content.bytes().get();
            return "binary, " + Formatted.counted(bytes.length, "byte")
                    + (shown ? HexDump.of(bytes, BYTES, "\n    ") : " (shown with --payload)");
        }
        if (content.payload().isEmpty()) {
            return "empty";
        }
        String payload = content.payload().get();
        return shown ? payload : Formatted.counted(payload.length(), "character") + " (shown with --payload)";
    }

    private static String leftOut(StoredContent content) {
        return "not shown: headers and payload have " + Formatted.counted(content.leftOut(), "byte");
    }

    private static String headerNames(StoredContent content) {
        return ShownContent.headerNames(content.headers()).stream()
                .map(name -> Formatted.line(name, 100))
                .collect(Collectors.joining(", "));
    }
}
