package dev.caravan.routes.check;

import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.camel.model.language.ExpressionDefinition;

/** Finds conditions on numbers for which Camel's languages can give a wrong answer instead of an error. */
final class NumberCondition {
    private static final Pattern IN_FILTER = Pattern.compile("\\?\\(.*(?:[<>]=?|[=!]=)\\s*-?\\d", Pattern.DOTALL);
    private static final Pattern IN_SIMPLE =
            Pattern.compile("\\$\\{(?:jsonpath|jq|xpath)\\(.*}\\s*(?:[<>]=?|range)\\s*\\S", Pattern.DOTALL);

    private static final String INSTEAD =
            ". Safer: the language payload, such as total > 100 (docs/routes.md#conditions)";

    private NumberCondition() {}

    /** What can go wrong, and what to use instead; empty if the condition compares no number. */
    static Optional<String> hint(ExpressionDefinition condition) {
        String text = String.valueOf(condition.getExpression());
        if ("jsonpath".equals(condition.getLanguage())
                && IN_FILTER.matcher(text).find()) {
            return Optional.of(
                    "its filter is false, without an error, for a number in text such as \"184.50\"" + INSTEAD);
        }
        return "simple".equals(condition.getLanguage())
                        && IN_SIMPLE.matcher(text).find()
                ? Optional.of("simple compares a value that is not a number as text, without an error" + INSTEAD)
                : Optional.empty();
    }
}
