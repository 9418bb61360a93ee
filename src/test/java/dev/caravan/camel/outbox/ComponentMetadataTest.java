package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.text.Span;
import java.util.ArrayList;
import java.util.List;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.Test;

class ComponentMetadataTest {
    @Test
    void the_metadata_lists_the_options_for_tools() throws Exception {
        JsonNode metadata = metadata();

        assertThat(names(metadata.get("componentProperties")))
                .contains(
                        "dataSource",
                        "url",
                        "user",
                        "password",
                        "schema",
                        "schemaAuto",
                        "schemaCheck",
                        "presence",
                        "leaseDuration",
                        "relay")
                .doesNotContain("laneConnections", "wakeUpConnections", "stopTimeout");
        JsonNode options = metadata.get("componentProperties");
        assertThat(options.get("dataSource").get("autowired").asBoolean()).isTrue();
        assertThat(options.get("password").get("secret").asBoolean()).isTrue();
        assertThat(names(metadata.get("properties")))
                .contains(
                        "name",
                        "types",
                        "order",
                        "pipelined",
                        "earlyAcknowledge",
                        "concurrency",
                        "batchBytes",
                        "window",
                        "saveInterval",
                        "start",
                        "backoff",
                        "maxBackoff",
                        "type",
                        "aggregateType",
                        "aggregateId",
                        "binary")
                .doesNotContain("transacted", "maxMessagesPerPoll", "onConsume", "greedy", "delay", "scheduler");
    }

    @Test
    void each_default_in_the_metadata_is_that_of_the_code() throws Exception {
        var endpoint = new OutboxEndpoint("outbox:orders", new OutboxComponent(), "orders");
        var configurer = new OutboxEndpointConfigurer();

        for (String option : List.of(
                "types",
                "order",
                "concurrency",
                "batchBytes",
                "window",
                "saveInterval",
                "start",
                "backoff",
                "maxBackoff",
                "maxAge")) {
            String told =
                    metadata().get("properties").get(option).get("defaultValue").asText();
            String inCode = configurer.getOptionValue(endpoint, option, false).toString();
            boolean isTime = metadata()
                    .get("properties")
                    .get(option)
                    .get("type")
                    .asText()
                    .equals("duration");
            assertThat(inCode)
                    .as(option)
                    .isEqualTo(isTime ? Long.toString(Span.parse(told).toMillis()) : told);
        }
    }

    @Test
    void each_option_is_described() throws Exception {
        for (String part : List.of("properties", "componentProperties")) {
            metadata().get(part).properties().forEach(option -> assertThat(
                            option.getValue().path("description").asText())
                    .as(option.getKey())
                    .isNotBlank());
        }
    }

    private static JsonNode metadata() throws Exception {
        try (var context = new DefaultCamelContext();
                var json = ComponentMetadataTest.class.getResourceAsStream(
                        "/META-INF/dev/caravan/camel/outbox/outbox.json")) {
            assertThat(context.getComponent("outbox")).isInstanceOf(OutboxComponent.class);
            return new ObjectMapper().readTree(json);
        }
    }

    private static List<String> names(JsonNode options) {
        List<String> names = new ArrayList<>();
        options.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
