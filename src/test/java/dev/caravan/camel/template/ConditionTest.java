package dev.caravan.camel.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import java.math.BigDecimal;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConditionTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();

    private Exchange exchange(String total) {
        Exchange exchange = new DefaultExchange(camel);
        exchange.getMessage()
                .setBody("{\"total\": " + total + ", \"currency\": \"EUR\", \"paid\": true, \"note\": null}");
        exchange.getMessage().setHeader("type", "order.placed");
        return exchange;
    }

    private boolean holds(String condition, String total) {
        return Condition.parse(condition).matches(exchange(total));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "184.50",
                "\"184.50\"",
                "1e3",
                "\"1e3\"",
                "12345678901234567890",
                "\"12345678901234567890\"",
                "100.000000000000000000001"
            })
    void a_number_is_greater_whether_it_is_written_as_text_or_not(String total) {
        assertThat(holds("total > 100", total)).isTrue();
        assertThat(holds("total <= 100", total)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"99", "\"99\"", "\"-184.50\"", "100", "\"100.00\""})
    void a_smaller_number_is_not_greater(String total) {
        assertThat(holds("total > 100", total)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"abc\"", "\"1,184.50\"", "\" 184.50\"", "\"\"", "true", "{}", "[]", "null"})
    void what_is_not_a_number_is_an_error_and_no_answer(String total) {
        assertThatThrownBy(() -> holds("total > 100", total))
                .isInstanceOf(FieldException.class)
                .hasMessageMatching(
                        "The field total of the payload is (not a number|missing), in the condition total > 100");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "total == 184.5 | true",
                "total != 184.50 | false",
                "total >= 184.50 && currency == 'EUR' | true",
                "total >= 184.50 && currency == \"USD\" | false",
                "currency != 'a && b' | true",
                "header.type == 'order.placed' | true",
                "paid == true | true",
                "paid != true | false",
                "note == null | true",
                "missing == null | true",
                "total != null | true",
                "discount:0 > 10 | false",
                "total==184.5 | true",
                "total == '184.5' | true"
            })
    void conditions(String condition, boolean expected) {
        assertThat(holds(condition, "184.5")).isEqualTo(expected);
    }

    @Test
    void a_condition_is_a_value_too() {
        camel.start();
        var payload = camel.resolveLanguage("payload");
        assertThat(payload.createExpression("total > 100").evaluate(exchange("184.50"), Object.class))
                .isEqualTo(true);
        assertThat(payload.createExpression("header.type == 'order.paid'").evaluate(exchange("1"), Object.class))
                .isEqualTo(false);
        assertThat(payload.createExpression("total * total").evaluate(exchange("0.10"), Object.class))
                .isEqualTo(new BigDecimal("0.0100"));
        camel.stop();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "total",
                "total >",
                "> 100",
                "total > 'a'",
                "total > abc",
                "total == EUR",
                "a == 1 || b == 2",
                "total = 3",
                "a == 1 &&",
                ""
            })
    void a_wrong_condition_is_refused(String wrong) {
        assertThatThrownBy(() -> Condition.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
    }

    /** The reason for a language of its own. */
    @Test
    void camels_own_languages_answer_wrongly_without_an_error() {
        camel.start();
        assertThat(camels("jsonpath", "$[?(@.total > 100)]", "\"184.50\""))
                .as("number in text")
                .isFalse();
        assertThat(camels("simple", "${jsonpath($.total)} > 100", "\"abc\""))
                .as("not a number")
                .isTrue();
        assertThat(camels("simple", "${jsonpath($.total)} > 100", "\"1,184.50\""))
                .as("not a number")
                .isFalse();
        assertThat(camels("simple", "${jsonpath($.total)} > 100", "12345678901234567890"))
                .as("large")
                .isFalse();
        assertThat(camels("simple", "${jsonpath($.total)} > 100", "{}"))
                .as("an object")
                .isTrue();
        camel.stop();
    }

    private boolean camels(String language, String condition, String total) {
        return camel.resolveLanguage(language).createPredicate(condition).matches(exchange(total));
    }
}
