package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import dev.caravan.camel.FieldException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A product or a sum of numbers of a message: {@code quantity * price}; {@code sum(items, quantity * price)}, which adds the products
 * of all elements of a list; {@code sum(amounts)}, which adds the elements. The result is exact.
 */
final class Calculation {
    private static final Pattern SUM = Pattern.compile("sum\\((?<list>[^,()'\"]+)(?:,(?<factors>[^,()'\"]+))?\\)");
    private static final Pattern PRODUCT = Pattern.compile("[^*()'\"]+(?:\\*[^*()'\"]+)+");
    /** The product of two numbers such as 1e999999999 and their sum with 1 have more digits than the memory. */
    private static final int MOST_DIGITS = 1_000;

    private final String text;
    /** Null for a product. */
    private final FieldPath list;
    /** None if the elements of the list are numbers. */
    private final List<FieldPath> factors;

    private Calculation(String text, FieldPath list, List<FieldPath> factors) {
        this.text = text;
        this.list = list;
        this.factors = factors;
    }

    /**
     * Returns nothing for a text that is no calculation.
     *
     * @throws IllegalArgumentException if it is a wrong one
     */
    static Optional<Calculation> parse(String text) {
        Matcher sum = SUM.matcher(text);
        if (sum.matches()) {
            FieldPath list = FieldPath.parse(sum.group("list").strip());
            return Optional.of(new Calculation(text, list, factors(sum.group("factors"))));
        } else if (text.startsWith("sum(")) {
            throw new IllegalArgumentException("\"" + text
                    + "\" is not a sum, such as sum(items, price), sum(items, quantity * price) or sum(amounts)");
        }
        return PRODUCT.matcher(text).matches()
                ? Optional.of(new Calculation(text, null, factors(text)))
                : Optional.empty();
    }

    private static List<FieldPath> factors(String text) {
        return text == null
                ? List.of()
                : Stream.of(text.split("\\*", -1))
                        .map(factor -> FieldPath.parse(factor.strip()))
                        .toList();
    }

    /** @throws FieldException if a value is missing or not a number */
    JsonNode in(Scope scope) {
        BigDecimal result = list == null ? product(scope) : sum(scope);
        return DecimalNode.valueOf(result.scale() < 0 ? result.setScale(0) : result); // 2000 and not 2E+3
    }

    private BigDecimal sum(Scope scope) {
        JsonNode elements = scope.field(list);
        if (!elements.isArray()) {
            throw unusable(list.toString(), scope, elements, "a list");
        }
        BigDecimal sum = BigDecimal.ZERO;
        for (int i = 0; i < elements.size(); i++) {
            sum = sum.add(product(scope.element(list.toString(), i, elements.get(i))));
        }
        return sum;
    }

    private BigDecimal product(Scope scope) {
        if (factors.isEmpty()) {
            return number("", scope, scope.value());
        }
        BigDecimal product = BigDecimal.ONE;
        for (FieldPath factor : factors) {
            // in a sum only of the element itself: the price of another element or of the order would be wrong
            product = product.multiply(
                    number(factor.toString(), scope, list == null ? scope.field(factor) : factor.in(scope.value())));
        }
        return product;
    }

    private BigDecimal number(String name, Scope scope, JsonNode value) {
        BigDecimal number = ExactNumber.of(value).orElseThrow(() -> unusable(name, scope, value, "a number"));
        if (number.unscaledValue().bitLength() > 4 * MOST_DIGITS || Math.abs((long) number.scale()) > MOST_DIGITS) {
            throw unusable(name, scope, value, "a number of at most " + MOST_DIGITS + " digits");
        }
        return number;
    }

    private FieldException unusable(String name, Scope scope, JsonNode value, String wanted) {
        return new FieldException((name.isEmpty() ? "The element " : "The field " + name + " of ") + scope.place()
                + (Payload.isAbsent(value) ? " is missing" : " is not " + wanted) + ", in " + text);
    }
}
