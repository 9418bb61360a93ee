package dev.caravan.camel.template;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.text.StoredJson;
import dev.caravan.camel.FieldException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;

/**
 * A text with values of a message: {@code Hello ${customer.name}}. In HTML each value is escaped. In JSON a value between quotation
 * marks becomes a part of that string, and any other value is written as JSON with its type. {@code \${} writes {@code ${}.
 */
public final class Template {
    /** The source and position in a message of the JSON parser. The column is removed, because it is a column of the sample. */
    private static final Pattern PARSER_SOURCE = Pattern.compile("\\[Source: .*?; line: (\\d+), column: \\d+]");

    /** A piece of a template. */
    private interface Piece {
        String text(Exchange exchange, Supplier<JsonNode> payload);
    }

    private final List<Piece> pieces = new ArrayList<>();
    private final Format format;
    /** The template with a valid value for each placeholder, to check the JSON around them. */
    private final StringBuilder sample = new StringBuilder();

    private boolean inString;

    private Template(Format format) {
        this.format = format;
    }

    /** @throws IllegalArgumentException with the line of the error */
    public static Template parse(String text, Format format) {
        Template template = new Template(format);
        template.read(text);
        if (format == Format.JSON) {
            template.requireJson();
        }
        return template;
    }

    private void read(String text) {
        int position = 0;
        for (int open = text.indexOf("${"); open >= 0; open = text.indexOf("${", position)) {
            if (open > position && text.charAt(open - 1) == '\\') {
                literal(text.substring(position, open - 1) + "${");
                position = open + 2;
                continue;
            }
            literal(text.substring(position, open));
            int close = text.indexOf('}', open);
            if (close < 0) {
                throw wrong(text, open, "${ has no } after it; \\${ writes ${ itself");
            }
            placeholder(text, open, text.substring(open + 2, close));
            position = close + 1;
        }
        literal(text.substring(position));
    }

    private void literal(String text) {
        if (text.isEmpty()) {
            return;
        }
        pieces.add((exchange, payload) -> text);
        sample.append(text);
        for (int i = 0; i < text.length(); i++) {
            if (inString && text.charAt(i) == '\\') {
                i++; // the next character is escaped
            } else if (text.charAt(i) == '"') {
                inString = !inString;
            }
        }
    }

    private void placeholder(String text, int open, String content) {
        Placeholder placeholder;
        try {
            placeholder = Placeholder.parse(content);
        } catch (IllegalArgumentException e) {
            throw wrong(text, open, e.getMessage());
        }
        if (format == Format.JSON && !inString) {
            pieces.add((exchange, payload) -> StoredJson.text(placeholder.value(exchange, payload)));
            sample.append("null");
        } else {
            pieces.add((exchange, payload) -> format.escaped(placeholder.text(exchange, payload)));
        }
    }

    private static IllegalArgumentException wrong(String text, int position, String reason) {
        long line = text.substring(0, position).chars().filter(c -> c == '\n').count() + 1;
        return new IllegalArgumentException("line " + line + ": " + reason);
    }

    private void requireJson() {
        try {
            if (Payload.EXACT.readTree(sample.toString()).isMissingNode()) {
                throw new IllegalArgumentException("line 1: the template is empty");
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("line " + e.getLocation().getLineNr() + ": the template is not JSON: "
                    + PARSER_SOURCE
                            .matcher(e.getOriginalMessage())
                            .replaceAll("line $1")
                            .replaceAll("\\s+", " "));
        }
    }

    /** @throws FieldException if the message lacks a value without default */
    public String text(Exchange exchange) {
        return text(exchange, Payload.lazy(exchange));
    }

    String text(Exchange exchange, Supplier<JsonNode> payload) {
        StringBuilder text = new StringBuilder();
        pieces.forEach(piece -> text.append(piece.text(exchange, payload)));
        return text.toString();
    }
}
