package dev.caravan.cli;

import dev.caravan.json.Fields;
import dev.caravan.text.Humane;
import java.util.List;
import java.util.Optional;

/** Content and error of a message as people and programs read them. What may be personal only when they ask for it. */
final class MessageText {
    private static final int ERROR_WIDTH = 80;

    private MessageText() {}

    /** Class without package and the start of the text. */
    static String error(String errorClass, String text) {
        String simple = errorClass.substring(errorClass.lastIndexOf('.') + 1);
        return Humane.line(simple + ": " + text, ERROR_WIDTH);
    }

    static String headers(Optional<String> headers, boolean shown) {
        if (headers.isEmpty()) {
            return "none";
        }
        return shown ? headers.get() : String.join(", ", headerNames(headers)) + " (their values with --payload)";
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
