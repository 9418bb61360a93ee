package dev.caravan.camel.template;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.caravan.camel.FieldException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;

/**
 * A text with values of a message: {@code Hello ${customer.name}}. In HTML each value is escaped. In JSON a value between quotation
 * marks becomes a part of that string, and any other value is written as JSON with its type. {@code \${} writes {@code ${}.
 */
final class FieldTemplate implements Template {
    /** The source and position in a message of the JSON parser. The column is removed, because it is a column of the sample. */
    private static final Pattern PARSER_SOURCE = Pattern.compile("\\[Source: .*?; line: (\\d+), column: \\d+]");

    /** A text of quotation marks becomes many times as long, and would fill the memory. */
    private static final int MOST_ADDED = 4 << 20;

    /** A piece of a template. */
    private interface Piece {
        void write(Scope scope, StringBuilder to);
    }

    private final List<Piece> pieces = new ArrayList<>();
    private final Format format;
    /** The template with a valid value for each placeholder, to check the JSON around them. */
    private final StringBuilder sample = new StringBuilder();

    private boolean inString;

    private FieldTemplate(Format format) {
        this.format = format;
    }

    /** @throws IllegalArgumentException with the line of the error */
    static Template parse(String text, Format format) {
        FieldTemplate template = new FieldTemplate(format);
        format.requireSafe(text);
        template.read(text);
        if (format.isJson()) {
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
        pieces.add((scope, to) -> to.append(text));
        sample.append(text);
        inString = Format.endsInString(text, inString);
    }

    private void placeholder(String text, int open, String content) {
        Placeholder placeholder;
        try {
            placeholder = Placeholder.parse(content);
        } catch (IllegalArgumentException e) {
            throw wrong(text, open, e.getMessage());
        }
        if (format.isJson() && !inString) {
            pieces.add(
                    (scope, to) -> escape(placeholder.json(placeholder.value(scope), scope), to, format::escapeJson));
            sample.append("null");
        } else {
            pieces.add((scope, to) -> escape(placeholder.text(scope), to, format::escape));
        }
    }

    private static void escape(String value, StringBuilder to, BiConsumer<String, Consumer<String>> escaping) {
        int longest = to.length() + value.length() + MOST_ADDED;
        escaping.accept(value, part -> {
            if (to.length() + part.length() > longest) {
                throw new FieldException("A value of the message becomes more than " + MOST_ADDED
                        + " characters longer when it is escaped for the template");
            }
            to.append(part);
        });
    }

    static IllegalArgumentException wrong(String text, int position, String reason) {
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

    @Override
    public String text(Exchange exchange) {
        Scope scope = Scope.of(exchange);
        StringBuilder text = new StringBuilder();
        pieces.forEach(piece -> piece.write(scope, text));
        return text.toString();
    }
}
