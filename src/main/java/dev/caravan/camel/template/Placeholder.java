package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.base.text.StoredJson;
import dev.caravan.camel.FieldException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;

/**
 * A value of a message: {@code customer.phone} is a field of the payload, {@code header.type} a header, {@code variable.text} a
 * variable, {@code body} the whole payload. The text after a colon is used if there is no value. A name that begins with
 * {@code $.} is always a field of the payload, even if the field is named header.
 */
final class Placeholder {
    private static final Pattern WITH_DEFAULT = Pattern.compile(
            "(?<name>(?:[^:\\['\"]|\\['[^']*']|\\[\"[^\"]*\"]|\\[\\d*])+)(?::(?<default>.*))?", Pattern.DOTALL);

    private interface Source {
        JsonNode of(Exchange exchange, Supplier<JsonNode> payload);
    }

    private final String name;
    private final Source source;
    private final String defaultText;

    private Placeholder(String name, Source source, String defaultText) {
        this.name = name;
        this.source = source;
        this.defaultText = defaultText;
    }

    /** @throws IllegalArgumentException if it names no value */
    static Placeholder parse(String text) {
        Matcher parts = WITH_DEFAULT.matcher(text);
        String name = parts.matches() ? parts.group("name").strip() : "";
        if (name.isEmpty()) {
            throw new IllegalArgumentException("\"" + text + "\" names no field, header or variable");
        }
        return new Placeholder(name, source(name), parts.group("default"));
    }

    private static Source source(String name) {
        if (name.equals("body")) {
            return (exchange, payload) -> payload.get();
        } else if (name.startsWith("header.")) {
            String header = name.substring("header.".length());
            return (exchange, payload) -> json(exchange.getMessage().getHeader(header));
        } else if (name.startsWith("variable.")) {
            String variable = name.substring("variable.".length());
            return (exchange, payload) -> json(exchange.getVariable(variable));
        } else if (name.startsWith("exchangeProperty.") || name.contains("(")) {
            throw new IllegalArgumentException("\"" + name
                    + "\" is a function of Camel's simple language. A template can use fields of the payload, header.NAME,"
                    + " variable.NAME and body. Set a variable with simple first; a field of this name is $." + name);
        }
        FieldPath path = FieldPath.parse(name);
        return (exchange, payload) -> path.in(payload.get());
    }

    private static JsonNode json(Object value) {
        return value == null ? MissingNode.getInstance() : Payload.EXACT.valueToTree(value);
    }

    /** The value, which may be null in JSON; the default if there is none. */
    JsonNode value(Exchange exchange, Supplier<JsonNode> payload) {
        JsonNode value = source.of(exchange, payload);
        if (!value.isMissingNode() && !(value.isNull() && defaultText != null)) {
            return value;
        } else if (defaultText == null) {
            throw new FieldException(this + " is missing");
        }
        return TextNode.valueOf(defaultText);
    }

    /** The value for a condition; the missing node if there is neither a value nor a default. */
    JsonNode valueOrMissing(Exchange exchange, Supplier<JsonNode> payload) {
        JsonNode value = source.of(exchange, payload);
        boolean absent = value.isMissingNode() || value.isNull();
        return absent && defaultText != null ? TextNode.valueOf(defaultText) : value;
    }

    /** The value as text. Objects and arrays are JSON. */
    String text(Exchange exchange, Supplier<JsonNode> payload) {
        JsonNode value = value(exchange, payload);
        if (value.isNull()) {
            throw new FieldException(this + " is null");
        }
        return value.isContainerNode() ? StoredJson.text(value) : value.asText();
    }

    /** The name as people read it in an error. */
    @Override
    public String toString() {
        if (name.equals("body")) {
            return "The payload";
        }
        return name.matches("(header|variable)\\..*")
                ? "The " + name.replaceFirst("\\.", " ")
                : "The field " + name + " of the payload";
    }
}
