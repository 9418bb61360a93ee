package dev.caravan.routes.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.dataformat.JsonLibrary;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes that name no mapper read and write JSON with exact numbers. */
class ExactNumbersTest {
    private final CamelMain main = new CamelMain(getClass().getClassLoader());

    private ProducerTemplate started() throws Exception {
        Properties settings = new Properties();
        settings.setProperty("camel.main.routesIncludePattern", "false");
        main.setDefaultPropertyPlaceholderLocation("false");
        main.setInitialProperties(settings);
        main.configure().addRoutesBuilder(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:read").unmarshal().json();
                from("direct:write").marshal().json(JsonLibrary.Jackson);
                from("direct:indented").marshal().json(JsonLibrary.Jackson, true);
                from("direct:both")
                        .unmarshal()
                        .json(JsonLibrary.Jackson)
                        .marshal()
                        .json();
                from("direct:field").setBody(jsonpath("$.n"));
                from("direct:text").setBody(jsonpath("$.n", String.class));
                from("direct:part").transform().jsonpathWriteAsString("$.part");
                from("direct:tree").convertBodyTo(JsonNode.class);
            }
        });
        main.start();
        return main.getCamelContext().createProducerTemplate();
    }

    @AfterEach
    void stop() {
        main.stop();
    }

    /** 15 MB of empty lists would take up a heap of 256 MB. */
    @Test
    void json_that_would_take_up_the_heap_is_refused() throws Exception {
        started();
        ObjectMapper mapper = main.getCamelContext().getRegistry().findSingleByType(ObjectMapper.class);

        assertThat(mapper.getFactory().streamReadConstraints().getMaxTokenCount())
                .isEqualTo(Runtime.getRuntime().maxMemory() / 128);
    }

    /** Camel compares the whole numbers of both sides, also those that do not fit into a long. */
    @ParameterizedTest
    @CsvSource({
        "5.7,                  > 5,    true",
        "5.7,                  == 5,   false",
        "5.7,                  >= 5.5, true",
        "5.2,                  >= 5.5, false",
        "18446744073709551621, == 5,   false",
        "18446744073709551617, > 5,    true",
        "-1e30,                < 5,    true",
        "4294967301,           == 5,   false",
        "6.00,                 == 6,   true",
        "6,                    > 5,    true"
    })
    void a_condition_compares_the_value_of_each_number(String number, String condition, boolean expected)
            throws Exception {
        Object exact = started().requestBody("direct:read", "{\"n\": " + number + "}");
        for (Object body : List.of(exact, Map.of("n", Double.valueOf(number)))) { // as a mapper of a user reads it
            Exchange exchange = new DefaultExchange(main.getCamelContext());
            exchange.getMessage().setBody(body);

            assertThat(main.getCamelContext()
                            .resolveLanguage("simple")
                            .createPredicate("${body[n]} " + condition)
                            .matches(exchange))
                    .isEqualTo(expected);
        }
    }

    /** A driver of a database would write all its zeros. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"n\": 1e999999999}", "{\"a\": {\"b\": [1, -1E-999999999]}}"})
    void a_number_with_more_zeros_than_the_memory_has_is_refused(String json) throws Exception {
        ProducerTemplate routes = started();

        assertThatThrownBy(() -> routes.requestBody("direct:read", json))
                .hasRootCauseInstanceOf(JsonProcessingException.class)
                .rootCause()
                .hasMessageContaining("more than 200000 zeros");
        assertThatThrownBy(() -> routes.requestBody("direct:field", json)).isInstanceOf(Exception.class);
    }

    @ParameterizedTest
    @CsvSource({
        "123456789012345678901234567890, 123456789012345678901234567890",
        "1.10, 1.10",
        "-0.1, -0.1",
        "0.1e-30, 1E-31",
        "1e400, 1E+400",
        "9007199254740993, 9007199254740993",
        "12345678901234567890.123456789, 12345678901234567890.123456789"
    })
    void a_number_keeps_its_value_and_its_digits(String number, String written) throws Exception {
        ProducerTemplate routes = started();
        String json = "{\"n\":" + number + "}";

        assertThat(routes.requestBody("direct:read", json, Object.class)).hasToString("{n=" + written + "}");
        assertThat(routes.requestBody("direct:both", json, String.class)).isEqualTo("{\"n\":" + written + "}");
        assertThat(routes.requestBody("direct:field", json)).hasToString(written);
        assertThat(routes.requestBody("direct:text", json, String.class)).isEqualTo(written);
        assertThat(routes.requestBody("direct:part", "{\"part\":{\"a\":" + number + "}}", Object.class))
                .hasToString("{a=" + written + "}");
        assertThat(routes.requestBody("direct:tree", json, JsonNode.class)).hasToString("{\"n\":" + written + "}");
        assertThat(routes.requestBody("direct:write", Map.of("n", new BigDecimal(number)), String.class))
                .isEqualTo("{\"n\":" + written + "}");
    }

    @Test
    void long_numbers_and_texts_are_read_and_json_too_deep_for_a_thread_is_refused() throws Exception {
        ProducerTemplate routes = started();
        String deep = "[".repeat(1_000) + "1" + "]".repeat(1_000);
        String digits = "9".repeat(5_000);

        assertThat(routes.requestBody("direct:both", deep, String.class)).isEqualTo(deep);
        assertThatThrownBy(() -> routes.requestBody("direct:both", "[" + deep + "]"))
                .hasStackTraceContaining("nesting depth");
        assertThat(routes.requestBody("direct:field", "{\"n\":" + digits + "}")).isEqualTo(new BigInteger(digits));
        assertThat(routes.requestBody("direct:text", "{\"n\":\"" + "a".repeat(21_000_000) + "\"}", String.class))
                .hasSize(21_000_000);
    }

    @Test
    void the_options_of_a_step_change_only_that_step() throws Exception {
        ProducerTemplate routes = started();

        assertThat(routes.requestBody("direct:indented", Map.of("n", 1), String.class))
                .contains("\n");
        assertThat(routes.requestBody("direct:write", Map.of("n", 1), String.class))
                .isEqualTo("{\"n\":1}");
    }

    /** A mapper that reads comments and floating-point numbers. */
    @Test
    void a_mapper_of_the_user_is_used_instead() throws Exception {
        main.bind("mine", new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS));
        ProducerTemplate routes = started();
        String json = "/* mine */ {\"n\": 1.10}";

        CamelContext camel = main.getCamelContext();
        assertThat(camel.getRegistry().findByType(ObjectMapper.class)).hasSize(1);
        assertThat(routes.requestBody("direct:read", json, Object.class)).isEqualTo(Map.of("n", 1.1));
        assertThat(routes.requestBody("direct:field", json)).isEqualTo(1.1);
    }
}
