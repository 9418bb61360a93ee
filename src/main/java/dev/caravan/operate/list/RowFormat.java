package dev.caravan.operate.list;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.POJONode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.base.message.Json;
import dev.caravan.base.text.HiddenCharacters;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A format with one line for each row of a list. The text is UTF-8 without a byte order mark. */
public enum RowFormat {
    /**
     * Comma-separated values (RFC 4180) with a line of names first. Texts are quoted, a missing value is empty. As OWASP advises, a text that
     * a spreadsheet would run as a formula has an apostrophe before it.
     */
    CSV("text/csv; charset=utf-8; header=present") {
        @Override
        public String head(List<String> columns) {
            return String.join(",", columns) + "\r\n";
        }

        @Override
        public String line(Object row, List<String> columns) {
            JsonNode fields = Json.tree(row);
            fields.fieldNames().forEachRemaining(name -> {
                if (!columns.contains(name)) {
                    throw new IllegalStateException("there is no column for " + name);
                }
            });
            return columns.stream().map(name -> cell(fields.get(name))).collect(Collectors.joining(",")) + "\r\n";
        }
    },

    /** A JSON object on each line, with the same fields as in a list of the HTTP API. */
    JSONL("application/x-ndjson") {
        @Override
        public String head(List<String> columns) {
            return "";
        }

        /** Line ends in JSON occur only between tokens, here in a payload as it was written. Replacing them changes no value. */
        @Override
        public String line(Object row, List<String> columns) {
            String line = Json.line(row).replace('\n', ' ').replace('\r', ' ');
            return HiddenCharacters.escaped(line) + "\n"; // some programs take U+2028 for a line end
        }
    };

    private static final String FORMULA = "=+-@\t\r\n＝＋－＠";

    private final String contentType;

    RowFormat(String contentType) {
        this.contentType = contentType;
    }

    /** Finds a format by its {@link #name}. */
    public static Optional<RowFormat> parse(String name) {
        return List.of(values()).stream()
                .filter(format -> format.toString().equals(name))
                .findFirst();
    }

    /** The name for people, which is also the end of a file name: {@code csv}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String contentType() {
        return contentType;
    }

    /** What stands before all rows. */
    public abstract String head(List<String> columns);

    /**
     * The text of a row, with its line end.
     *
     * @param row a record
     * @param columns the names of all fields that a row can have, in order
     */
    public abstract String line(Object row, List<String> columns);

    private static String cell(JsonNode value) {
        if (value == null || value.isNull()) {
            return "";
        }
        if (value.isNumber() || value.isBoolean()) {
            return value.asText();
        }
        String text = text(value);
        boolean isFormula = !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
        return '"' + (isFormula ? "'" : "") + text.replace("\"", "\"\"") + '"';
    }

    private static String text(JsonNode value) {
        if (value instanceof POJONode raw && raw.getPojo() instanceof RawValue written) {
            return written.rawValue().toString();
        }
        return value.isTextual() || value.isBinary() ? value.asText() : Json.line(value);
    }
}
