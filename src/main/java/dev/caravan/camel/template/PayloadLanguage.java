package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.Predicate;
import org.apache.camel.spi.annotations.Language;
import org.apache.camel.support.ExpressionAdapter;
import org.apache.camel.support.LanguageSupport;

/** The language {@code payload}: a field such as {@code customer.phone}, or a condition such as {@code total > 100}, which is true or false. */
@Language("payload")
public final class PayloadLanguage extends LanguageSupport {
    @Override
    public Predicate createPredicate(String expression) {
        return Condition.parse(expression);
    }

    @Override
    public Expression createExpression(String expression) {
        Placeholder field = Placeholder.parse(expression.strip());
        return new ExpressionAdapter() {
            @Override
            public Object evaluate(Exchange exchange) {
                return value(field.value(Scope.of(exchange)));
            }

            @Override
            public String toString() {
                return expression;
            }
        };
    }

    private static Object value(JsonNode json) {
        if (json.isObject()) {
            return Payload.EXACT.convertValue(json, Map.class);
        } else if (json.isArray()) {
            return Payload.EXACT.convertValue(json, List.class);
        } else if (json.isNumber()) {
            return json.numberValue();
        } else if (json.isBoolean()) {
            return json.booleanValue();
        }
        return json.isNull() ? null : json.asText();
    }
}
