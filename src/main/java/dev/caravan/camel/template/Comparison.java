package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.camel.FieldException;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares a value of a message with a number, a text, true, false or null. Numbers are compared exactly, and a text such as
 * {@code "184.50"} counts as a number. A value of another kind makes the message a dead letter instead of giving a wrong answer.
 */
final class Comparison {
    private static final Pattern PARTS = Pattern.compile(
            "\\s*(?<value>\\S.*?)\\s*(?<operator>==|!=|>=|<=|>|<)\\s*(?<literal>'[^']*'|\"[^\"]*\"|[^\\s'\"=<>]+)\\s*");

    private enum Operator {
        EQUAL,
        NOT_EQUAL,
        GREATER,
        GREATER_OR_EQUAL,
        LESS,
        LESS_OR_EQUAL;

        static Operator of(String text) {
            return switch (text) {
                case "==" -> EQUAL;
                case "!=" -> NOT_EQUAL;
                case ">" -> GREATER;
                case ">=" -> GREATER_OR_EQUAL;
                case "<" -> LESS;
                default -> LESS_OR_EQUAL;
            };
        }

        boolean holds(int order) {
            return switch (this) {
                case EQUAL -> order == 0;
                case NOT_EQUAL -> order != 0;
                case GREATER -> order > 0;
                case GREATER_OR_EQUAL -> order >= 0;
                case LESS -> order < 0;
                case LESS_OR_EQUAL -> order <= 0;
            };
        }

        boolean ordersNumbers() {
            return this != EQUAL && this != NOT_EQUAL;
        }
    }

    /** What a value is compared with. */
    private interface Literal {
        /** The sign of the value minus the literal. */
        int compare(JsonNode value, Scope scope);
    }

    private final String text;
    private final Placeholder value;
    private final Operator operator;
    private final Literal literal;

    private Comparison(String text, Placeholder value, Operator operator, String literal) {
        this.text = text;
        this.value = value;
        this.operator = operator;
        this.literal = literal(literal);
    }

    /** @throws IllegalArgumentException if it is not a comparison */
    static Comparison parse(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("\"" + text.strip()
                    + "\" is not a condition, such as total > 100, currency == 'EUR', paid == true or note == null");
        }
        return new Comparison(
                text.strip(),
                Placeholder.named(parts.group("value")),
                Operator.of(parts.group("operator")),
                parts.group("literal"));
    }

    private Literal literal(String literal) {
        Optional<BigDecimal> number = ExactNumber.of(literal);
        if (number.isPresent()) {
            return (found, scope) -> number(found, scope).compareTo(number.get());
        } else if (operator.ordersNumbers()) {
            throw new IllegalArgumentException(text + ": only numbers have an order, and " + literal + " is not one");
        } else if (literal.startsWith("'") || literal.startsWith("\"")) {
            String wanted = literal.substring(1, literal.length() - 1);
            return (found, scope) -> found.isValueNode()
                            && !Payload.isAbsent(found)
                            && found.asText().equals(wanted)
                    ? 0
                    : 1;
        } else if (literal.equals("null")) {
            return (found, scope) -> Payload.isAbsent(found) ? 0 : 1;
        } else if (literal.equals("true") || literal.equals("false")) {
            return (found, scope) -> flag(found, scope).equals(literal) ? 0 : 1;
        }
        throw new IllegalArgumentException(text + ": " + literal
                + " is not a number, true, false or null. A text needs quotation marks: '" + literal + "'");
    }

    boolean matches(Scope scope) {
        return operator.holds(literal.compare(value.valueOrMissing(scope), scope));
    }

    private BigDecimal number(JsonNode found, Scope scope) {
        return ExactNumber.of(found).orElseThrow(() -> unusable(found, scope, "a number"));
    }

    private String flag(JsonNode found, Scope scope) {
        if (found.isBoolean() || found.isTextual() && found.asText().matches("true|false")) {
            return found.asText();
        }
        throw unusable(found, scope, "true or false");
    }

    private FieldException unusable(JsonNode found, Scope scope, String wanted) {
        return new FieldException(value.in(scope) + (Payload.isAbsent(found) ? " is missing" : " is not " + wanted)
                + ", in the condition " + text);
    }

    @Override
    public String toString() {
        return text;
    }
}
