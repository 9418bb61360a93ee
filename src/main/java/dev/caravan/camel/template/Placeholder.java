package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.base.text.StoredJson;
import dev.caravan.camel.FieldException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A value of a message: {@code customer.phone} is a field of the payload, {@code header.type} a header, {@code variable.text} a
 * variable, {@code body} the whole payload, {@code quantity * price} a {@link Calculation}, and
 * {@code total > 100} a {@link Condition}. The text after a colon is used if there is no
 * value. A name that begins with {@code $.} is always a field of the payload, even if the field is named header.
 */
final class Placeholder {
    private static final Pattern WITH_DEFAULT = Pattern.compile(
            "(?<name>(?:[^:\\['\"]|\\['[^']*']|\\[\"[^\"]*\"]|\\[\\d*])+)(?::(?<default>.*))?", Pattern.DOTALL);

    private static final Pattern OPERATOR = Pattern.compile("[=<>]");

    /** The value of the place where it is written: an element of a list, or the payload. */
    static final Placeholder THIS = new Placeholder(".", Scope::value, null);

    private interface Source {
        JsonNode in(Scope scope);
    }

    private final String name;
    private final Source source;
    private final String defaultText;

    private Placeholder(String name, Source source, String defaultText) {
        this.name = name;
        this.source = source;
        this.defaultText = defaultText;
    }

    /**
     * Parses a name, a calculation or a condition.
     *
     * @throws IllegalArgumentException if it names no value
     */
    static Placeholder parse(String text) {
        try {
            return named(text);
        } catch (IllegalArgumentException e) {
            if (!OPERATOR.matcher(text).find()) {
                throw e;
            }
            Condition condition = Condition.parse(text);
            return new Placeholder(text.strip(), scope -> BooleanNode.valueOf(condition.matches(scope)), null);
        }
    }

    /** Parses what is not a condition. */
    static Placeholder named(String text) {
        Matcher parts = WITH_DEFAULT.matcher(text);
        String name = parts.matches() ? parts.group("name").strip() : "";
        if (name.isEmpty()) {
            throw new IllegalArgumentException("\"" + text + "\" names no field, header or variable");
        }
        Optional<Calculation> calculation = Calculation.parse(name);
        if (calculation.isPresent() && parts.group("default") != null) {
            throw new IllegalArgumentException(name + " cannot have a default");
        }
        Source source = calculation.<Source>map(each -> each::in).orElseGet(() -> source(name));
        return new Placeholder(name, source, parts.group("default"));
    }

    private static Source source(String name) {
        if (name.equals("body")) {
            return Scope::payload;
        } else if (name.matches("(header|variable)\\.[^=<>]+")) {
            String key = name.substring(name.indexOf('.') + 1);
            return name.startsWith("header") ? scope -> json(scope.header(key)) : scope -> json(scope.variable(key));
        } else if (name.startsWith("exchangeProperty.") || name.contains("(")) {
            throw new IllegalArgumentException("\"" + name
                    + "\" is a function of Camel's simple language. A template can use fields of the payload, header.NAME,"
                    + " variable.NAME and body. Set a variable with simple first; a field of this name is $." + name);
        }
        FieldPath path = FieldPath.parse(name);
        return scope -> scope.field(path);
    }

    private static JsonNode json(Object value) {
        if (value == null) {
            return MissingNode.getInstance();
        }
        boolean isJson = value instanceof JsonNode
                || value instanceof Map
                || value instanceof Collection
                || value instanceof Number
                || value instanceof Boolean
                || value.getClass().isArray();
        return isJson ? Payload.EXACT.valueToTree(value) : TextNode.valueOf(value.toString());
    }

    /** The value, which may be null in JSON; the default if there is none. */
    JsonNode value(Scope scope) {
        return present(valueOrMissing(scope), scope);
    }

    JsonNode present(JsonNode value, Scope scope) {
        if (value.isMissingNode()) {
            throw new FieldException(in(scope) + " is missing");
        }
        return value;
    }

    /** The value for a condition; the missing node if there is neither a value nor a default. */
    JsonNode valueOrMissing(Scope scope) {
        JsonNode value = source.in(scope);
        return Payload.isAbsent(value) && defaultText != null ? TextNode.valueOf(defaultText) : value;
    }

    /** The value as text. Objects and arrays are JSON. */
    String text(Scope scope) {
        return text(value(scope), scope);
    }

    String text(JsonNode value, Scope scope) {
        if (value.isNull()) {
            throw new FieldException(in(scope) + " is null");
        }
        return value.isContainerNode() ? json(value, scope) : value.asText();
    }

    /**
     * The value as JSON, with its type.
     *
     * @throws FieldException for a number such as NaN, which a step of the route may have set
     */
    String json(JsonNode value, Scope scope) {
        try {
            return StoredJson.text(value);
        } catch (IllegalArgumentException e) {
            throw new FieldException(in(scope) + " is or contains NaN or Infinity, which JSON does not have");
        }
    }

    String name() {
        return name;
    }

    /** The name and the place of the value as people read it in an error. */
    String in(Scope scope) {
        return described(scope.root(), scope.place());
    }

    @Override
    public String toString() {
        return described(Payload.NAME, Payload.NAME);
    }

    private String described(String root, String place) {
        if (name.equals("body")) {
            return root.replaceFirst("^t", "T");
        } else if (name.equals(".")) {
            return place.replaceFirst("^t", "T");
        }
        return name.matches("(header|variable)\\..*")
                ? "The " + name.replaceFirst("\\.", " ")
                : "The field " + name + " of " + place;
    }
}
