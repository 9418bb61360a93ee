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
    },
    /** JSON whose strings Slack reads: {@code <!channel>} of a value would notify a whole channel. */
    SLACK {
        @Override
        String escaped(String text) {
            return JSON.escaped(json(text));
        }

        @Override
        String json(String part) { // these signs are in strings only
            return part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        }
    };

    private static final int PART = 1 << 20;

    boolean isJson() {
        return this == JSON || this == SLACK;
    }

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
        inParts(text, part -> use.accept(escaped(part)));
    }

    /** As {@link #escape}, for a value in JSON outside of a string. */
    void escapeJson(String value, Consumer<String> use) {
        inParts(value, part -> use.accept(json(part)));
    }

    private static void inParts(String text, Consumer<String> use) {
        for (int from = 0; from < text.length(); from += PART) {
            use.accept(text.substring(from, Math.min(text.length(), from + PART)));
        }
    }

    abstract String escaped(String part);

    String json(String part) {
        return part;
    }
}
