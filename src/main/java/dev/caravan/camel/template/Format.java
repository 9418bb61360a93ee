package dev.caravan.camel.template;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    private static final Pattern UNQUOTED_ATTRIBUTE =
            Pattern.compile("<[A-Za-z](?:[^<>\"'=]++|\"[^\"]*+\"|'[^']*+'|=(?!\\s*[{$]\\{))*+=\\s*[{$]\\{");

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
     * Refuses a place where a value could change what is around it although it is escaped: an attribute of HTML without quotation
     * marks, where a space begins another attribute.
     *
     * @throws IllegalArgumentException with the line of the error
     */
    void requireSafe(String template) {
        Matcher attribute = UNQUOTED_ATTRIBUTE.matcher(template);
        if (this == HTML && attribute.find()) {
            throw FieldTemplate.wrong(
                    template,
                    attribute.end(),
                    "put the value of the attribute into quotation marks: otherwise a space in it begins another attribute");
        }
    }

    /** For JSON, as the content of a string. */
    abstract String escaped(String text);
}
