package dev.caravan.publisher;

import java.util.Locale;
import java.util.Map;

/** Writes headers as a JSON object (RFC 8259). */
final class HeadersJson {
    private HeadersJson() {}

    /** Null for no headers. */
    static String of(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return null;
        }
        StringBuilder json = new StringBuilder("{");
        headers.forEach((name, value) -> {
            if (json.length() > 1) {
                json.append(',');
            }
            string(name, json);
            json.append(':');
            string(value, json);
        });
        return json.append('}').toString();
    }

    private static void string(String text, StringBuilder json) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
