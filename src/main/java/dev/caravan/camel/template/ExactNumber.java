package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Pattern;

/** A number with all its digits, as JSON has it or as a text such as {@code "184.50"}. */
final class ExactNumber {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,999})(\\.\\d{1,999})?([eE][+-]?\\d{1,9})?");

    private ExactNumber() {}

    static Optional<BigDecimal> of(JsonNode value) {
        if (value.isNumber()) {
            return Optional.of(value.decimalValue());
        }
        return value.isTextual() ? of(value.asText()) : Optional.empty();
    }

    static Optional<BigDecimal> of(String text) {
        return NUMBER.matcher(text).matches() ? Optional.of(new BigDecimal(text)) : Optional.empty();
    }
}
