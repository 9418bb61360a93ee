package dev.caravan.routes.check;

import com.jayway.jsonpath.InvalidPathException;
import com.jayway.jsonpath.JsonPath;
import org.apache.camel.CamelContext;
import org.apache.camel.jsonpath.easypredicate.EasyPredicateParser;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.model.language.JsonPathExpression;

/** Parses JSONPath expressions. Camel does that only when a message is processed. */
final class CheckedJsonPath {
    private CheckedJsonPath() {}

    /**
     * Does nothing for other languages, and for paths that contain an expression in the simple language.
     *
     * @throws IllegalArgumentException if the path cannot be parsed; its message begins with the path as the route has it
     */
    static void require(ExpressionDefinition expression, boolean predicate, CamelContext context) {
        if (expression instanceof JsonPathExpression path
                && !expression.getExpression().contains("${")) {
            String text = context.resolvePropertyPlaceholders(expression.getExpression())
                    .strip();
            boolean easy = predicate && !"false".equals(path.getAllowEasyPredicate());
            try {
                JsonPath.compile(easy ? new EasyPredicateParser().parse(text) : text);
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException(expression.getExpression().strip() + ": " + e.getMessage());
            }
        }
    }
}
