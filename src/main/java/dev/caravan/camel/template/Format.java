package dev.caravan.camel.template;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

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

    /** For JSON, as the content of a string. */
    abstract String escaped(String text);
}
