package dev.caravan.cli;

import dev.caravan.base.message.StoredContent;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.HexDump;
import dev.caravan.base.text.HttpStatusText;
import dev.caravan.base.text.Span;
import dev.caravan.operate.failed.FailedAttempt;
import dev.caravan.operate.failed.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Formats the content and the error of a message. Payload and header values are included only on request. */
final class MessageText {
    private static final int ERROR_WIDTH = 80;

    private static final int ATTEMPT_WIDTH = 160;
    /** Number of bytes of a binary payload that are shown. */
    private static final int BYTES = 512;

    private MessageText() {}

    /** The class without its package and the start of the text. */
    static String error(String errorClass, String text) {
        return Formatted.line(HttpStatusText.error(errorClass, text), ERROR_WIDTH);
    }

    /** The answer of the destination to the last attempt and the error, one line each; empty if there are none. */
    static List<String> failure(Optional<String> answer, Optional<String> errorClass, Optional<String> errorText) {
        List<String> lines = new ArrayList<>();
        answer.ifPresent(text -> lines.add("  answer        " + Formatted.line(text, 2_500)));
        errorClass.ifPresent(
                name -> lines.add("  error         " + Formatted.line(name + ": " + errorText.orElse(""), 2_500)));
        return lines;
    }

    /** One line for each stored attempt, and one for attempts that are not stored. */
    static List<String> attempts(List<FailedAttempt> failures) {
        List<String> lines = new ArrayList<>();
        FailedAttempt before = null;
        for (FailedAttempt failure : failures) {
            int left = before == null ? 0 : failure.attempt() - before.attempt() - 1;
            if (left > 0) {
                lines.add("    (" + Formatted.counted(left, "attempt") + " not stored)");
            }
            lines.add("    " + attempt(failure));
            before = failure;
        }
        return lines;
    }

    private static String attempt(FailedAttempt failure) {
        String reason = failure.answer()
                .map(answer -> HttpStatusText.answer(answer, failure.errorText()))
                .orElse(failure.errorText());
        return failure.at() + " attempt " + failure.attempt()
                + " by " + failure.relay() + " failed after " + Span.text(failure.duration()) + ": "
                + Formatted.line(reason, ATTEMPT_WIDTH);
    }

    static String headers(StoredContent content, boolean shown) {
        if (content.leftOut() > 0) {
            return leftOut(content);
        }
        if (content.headers().isEmpty()) {
            return "none";
        }
        return shown ? content.headers().get() : headerNames(content) + " (values with --payload)";
    }

    /** JSON as it is stored; bytes in hexadecimal digits, on separate lines. */
    static String payload(StoredContent content, boolean shown) {
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
        return Fields.headerNames(content.headers()).stream()
                .map(name -> Formatted.line(name, 100))
                .collect(Collectors.joining(", "));
    }
}
