package dev.caravan.base.settings;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Checks the values of Camel options. Camel itself reads an invalid number or duration as 0. */
public final class OptionValue {
    private static final Pattern DURATION =
            Pattern.compile("(?=\\d)(\\d+d)?(\\d+h)?(\\d+m(in)?)?(\\d+s(ec)?)?(\\d+ms)?", Pattern.CASE_INSENSITIVE);
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

    private static final String DURATION_FORM = "a duration such as 500ms, 30s or 1h30m";
    private static final String WHOLE_OR_DURATION = "a whole number, or " + DURATION_FORM;

    private OptionValue() {}

    /**
     * The problem with a value, for example "must be true or false, got yes"; empty when the value is valid.
     *
     * @param type a type name of Camel (boolean, integer, number, duration, enum), or port, count, or time (a duration with a unit); any
     *     text is valid for another type
     * @param allowed the values of an enum
     */
    public static Optional<String> problem(String type, List<String> allowed, String text) {
        return expected(type, allowed, text.strip())
                .map(expected -> "must be " + expected + ", got " + (text.isBlank() ? "nothing" : text));
    }

    /** The same for the Java type of an option of Caravan: a long is a duration with a unit, an int is a whole number. */
    public static Optional<String> problem(Class<?> type, String text) {
        if (type.isEnum()) {
            return problem(
                    "enum",
                    List.of(type.getEnumConstants()).stream()
                            .map(Object::toString)
                            .toList(),
                    text);
        }
        return problem(name(type), List.of(), text);
    }

    private static String name(Class<?> type) {
        if (type == int.class || type == Integer.class) {
            return "count";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "boolean";
        }
        return type == long.class || type == Long.class ? "time" : "";
    }

    /** The expected form; empty when the text is valid. */
    private static Optional<String> expected(String type, List<String> allowed, String text) {
        if (text.startsWith("#")) {
            return Optional.empty(); // the name of a bean
        }
        return switch (type) {
            case "boolean" -> unless(text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false"), "true or false");
            case "count" -> unless(isWhole(text), "a whole number");
            case "integer" -> unless(isWhole(text) || isDuration(text), WHOLE_OR_DURATION);
            case "port" ->
                unless(text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535, "a port from 0 to 65535");
            case "number" -> unless(isNumber(text), "a number");
            case "duration" -> unless(isWhole(text) || isDuration(text) || isIso(text), WHOLE_OR_DURATION);
            case "time" ->
                unless(
                        isDuration(text) || isIso(text),
                        isWhole(text) ? "a duration with a unit, such as 500ms, 30s or 1h30m" : DURATION_FORM);
            case "enum" ->
                unless(
                        allowed.stream().anyMatch(value -> plain(value).equals(plain(text))),
                        String.join(", ", allowed));
            default -> Optional.empty();
        };
    }

    private static Optional<String> unless(boolean valid, String expected) {
        return valid ? Optional.empty() : Optional.of(expected);
    }

    private static boolean isWhole(String text) {
        return text.matches("-?\\d+") && new BigInteger(text).abs().compareTo(MAX) <= 0;
    }

    private static boolean isDuration(String text) {
        return DURATION.matcher(text).matches();
    }

    private static boolean isIso(String text) {
        try {
            Duration.parse(text);
            return true;
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static boolean isNumber(String text) {
        try {
            new BigDecimal(text);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Normalizes an enum value: Camel ignores case, dashes and underscores. */
    private static String plain(String value) {
        return value.replaceAll("[-_]", "").toLowerCase(java.util.Locale.ROOT);
    }
}
