package dev.caravan.cli;

import dev.caravan.json.Fields;
import dev.caravan.selection.StoredContent;
import dev.caravan.text.HexDump;
import dev.caravan.text.Humane;
import java.util.stream.Collectors;

/** Formats the content and the error of a message. Payload and header values are included only on request. */
final class MessageText {
    private static final int ERROR_WIDTH = 80;
    /** Number of bytes of a binary payload that are shown. */
    private static final int BYTES = 512;

    private MessageText() {}

    /** The class without its package and the start of the text. */
    static String error(String errorClass, String text) {
        String simple = errorClass.substring(errorClass.lastIndexOf('.') + 1);
        return Humane.line(simple + ": " + text, ERROR_WIDTH);
    }

    static String headers(StoredContent content, boolean shown) {
        if (content.headers().isEmpty()) {
            return "none";
        }
        return shown ? content.headers().get() : headerNames(content) + " (values with --payload)";
    }

    /** JSON as it is stored; bytes in hexadecimal digits, on lines of their own. */
    static String payload(StoredContent content, boolean shown) {
        if (content.isBinary()) {
            byte[] bytes = content.bytes().get();
            return "binary, " + Humane.counted(bytes.length, "byte")
                    + (shown ? HexDump.of(bytes, BYTES, "\n    ") : " (shown with --payload)");
        }
        if (content.payload().isEmpty()) {
            return "empty";
        }
        String payload = content.payload().get();
        return shown ? payload : Humane.counted(payload.length(), "character") + " (shown with --payload)";
    }

    private static String headerNames(StoredContent content) {
        return Fields.headerNames(content.headers()).stream()
                .map(name -> Humane.line(name, 100))
                .collect(Collectors.joining(", "));
    }
}
