package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.context.RelayContext;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.language.bean.BeanLanguage;
import org.apache.camel.support.DefaultExchange;
import org.apache.camel.support.DefaultRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A text of a message is a text, also if an expression calls a method of it. */
class MethodsOfValuesTest {
    private static final String SECRET = "{{partner.secret}}";

    private static CamelContext bound() {
        return started(new DefaultCamelContext(), MethodsOfValues::bind);
    }

    private static CamelContext started(CamelContext context, Consumer<CamelContext> bind) {
        context.getPropertiesComponent().addInitialProperty("partner.secret", "s3cr3t");
        context.getRegistry().bind("4711", new StringBuilder("bean"));
        context.start();
        bind.accept(context);
        return context;
    }

    private static Exchange exchange(CamelContext context, String value) {
        Exchange exchange = new DefaultExchange(context);
        exchange.getIn().setBody(value);
        exchange.getIn().setHeader("v", value);
        exchange.setVariable("v", value);
        exchange.setProperty("v", value);
        return exchange;
    }

    private static Object evaluated(CamelContext context, String expression, String value) {
        Expression created = context.resolveLanguage("simple").createExpression(expression);
        created.init(context);
        return created.evaluate(exchange(context, value), Object.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "${header.v.trim()}",
                "${headers.v.trim()}",
                "${header[v].trim()}",
                "${header.v?.trim()}",
                "${body.trim()}",
                "${bodyAs(String).trim()}",
                "${mandatoryBodyAs(String).trim()}",
                "${variable.v.trim()}",
                "${exchangeProperty.v.trim()}",
                "${header.v.trim().toString()}",
                "${header.v.concat('')}",
                "${header.v.replace('x', ${header.v})}"
            })
    void calls_the_method_of_a_text_that_looks_like_a_setting_or_a_bean(String expression) throws Exception {
        try (CamelContext context = bound()) {
            for (String value : new String[] {SECRET, "#4711", "#bean:4711", "#class:java.util.Date", "#1 priority"}) {
                assertThat(evaluated(context, expression, value)).isEqualTo(value);
            }
        }
    }

    @Test
    void compares_the_text_itself() throws Exception {
        try (CamelContext context = bound()) {
            var matches = context.resolveLanguage("simple").createPredicate("${header.v.length()} == 18");
            matches.init(context);
            assertThat(matches.matches(exchange(context, SECRET))).isTrue();
        }
    }

    @Test
    void replaces_the_language_that_was_used_before() throws Exception {
        try (CamelContext context = started(new DefaultCamelContext(), started -> {
            started.resolveLanguage("bean");
            MethodsOfValues.bind(started);
        })) {
            assertThat(evaluated(context, "${body.trim()}", SECRET)).isEqualTo(SECRET);
        }
    }

    @Test
    void leaves_a_language_of_the_user() throws Exception {
        BeanLanguage ofUser = new BeanLanguage();
        try (CamelContext context = started(new DefaultCamelContext(), started -> {
            started.getRegistry().bind("bean-language", ofUser);
            MethodsOfValues.bind(started);
        })) {
            assertThat(context.resolveLanguage("bean")).isSameAs(ofUser);
        }
    }

    @Test
    void calls_beans_of_the_route_by_their_names() throws Exception {
        try (CamelContext context = bound()) {
            context.getRegistry().bind("greeting", "hello");
            assertThat(evaluated(context, "${bean:greeting?method=length}", "any"))
                    .isEqualTo(5);
            assertThat(evaluated(context, "${bean:type:java.lang.System?method=lineSeparator}", "any"))
                    .isEqualTo(System.lineSeparator());
        }
    }

    @Test
    void is_the_language_of_a_relay_from_its_beginning() throws Exception {
        RelayContext relay = new RelayContext(new DefaultRegistry());
        relay.build();
        try (CamelContext context = started(relay, started -> {})) {
            assertThat(evaluated(context, "${body.trim()}", SECRET)).isEqualTo(SECRET);
        }
    }
}
