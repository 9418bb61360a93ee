package dev.caravan.cli;

import dev.caravan.json.Fields;
import dev.caravan.text.Humane;
import java.util.List;
import java.util.Optional;

/** Formats the content and the error of a message. Payload and header values are included only on request. */
final class MessageText {
    private static final int ERROR_WIDTH = 80;

    private MessageText() {}

    /** The class without its package and the start of the text. */
    static String error(String errorClass, String text) {
        String simple = errorClass.substring(errorClass.lastIndexOf('.') + 1);
        return Humane.line(simple + ": " + text, ERROR_WIDTH);
    }

    static String headers(Optional<String> headers, boolean shown) {
        if (headers.isEmpty()) {
            return "none";
        }
        return shown ? headers.get() : String.join(", ", headerNames(headers)) + " (values with --payload)";
    }

    static String payload(Optional<String> payload, boolean shown) {
        if (payload.isEmpty()) {
            return "empty";
        }
        return shown ? payload.get() : Humane.counted(payload.get().length(), "character") + " (shown with --payload)";
    }

    private static List<String> headerNames(Optional<String> headers) {
        return Fields.headerNames(headers).stream()
                .map(name -> Humane.line(name, 100))
                .toList();
    }
}
