package dev.caravan.camel.template;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.function.Consumer;

/** How a value is written into a template. */
public enum Format {
    TEXT {
        @Override
        String escaped(String text) {
            return text;
        }
    },
    HTML {
        @Override
        String escaped(String text) {
            return text.replace("&", "&amp;")
                    .replace("<", "&lt;")
                    .replace(">", "&gt;")
                    .replace("\"", "&quot;")
                    .replace("'", "&#39;");
        }
    },
    JSON {
        @Override
        String escaped(String text) {
            return String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text));
        }
    };

    private static final int PART = 1 << 20;

    /** Whether a literal part of JSON ends within a string, if it begins within one or not. */
    static boolean endsInString(String json, boolean inString) {
        boolean inside = inString;
        for (int i = 0; i < json.length(); i++) {
            if (inside && json.charAt(i) == '\\') {
                i++; // the next character is escaped
            } else if (json.charAt(i) == '"') {
                inside = !inside;
            }
        }
        return inside;
    }

    /**
     * Refuses a place where a value could change what is around it although it is escaped.
     *
     * @throws IllegalArgumentException with the line of the error
     */
    void requireSafe(String template) {
        if (this == HTML) {
            HtmlPlaces.requireSafe(template);
        }
    }

    /** Escapes a text in parts, so that who uses them can end before it is too long. For JSON, as the content of a string. */
    void escape(String text, Consumer<String> use) {
        for (int from = 0; from < text.length(); from += PART) {
            use.accept(escaped(text.substring(from, Math.min(text.length(), from + PART))));
        }
    }

    abstract String escaped(String part);
}
