package dev.caravan.camel.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.MessageBatch;
import java.io.ByteArrayInputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.Test;

class BatchMessageTest {
    @Test
    void a_value_of_json_in_a_batch_is_sent_as_json() throws Exception {
        try (CamelContext camel = new DefaultCamelContext()) {
            camel.start();
            BatchMessage order = new BatchMessage(camel, "a", header -> {});
            order.setBody(new TreeMap<>(Map.of("a", new BigDecimal("1.10"), "b", List.of("1, 2"))));
            BatchMessage count = new BatchMessage(camel, "b", header -> {});
            count.setBody(5);
            BatchMessage stream = new BatchMessage(camel, "c", header -> {});
            stream.setBody(new ByteArrayInputStream("\"ü\"".getBytes(StandardCharsets.UTF_8)));

            String lines = MessageBatch.begin(new DefaultExchange(camel), List.of(order, count, stream))
                    .getNdjson();

            assertThat(lines).isEqualTo("{\"a\":1.10,\"b\":[\"1, 2\"]}\n5\n\"ü\"\n");
        }
    }

    /** As multicast, recipientList, enrich and another split make it for each part. */
    @Test
    void a_copy_has_the_headers_also_if_no_step_has_used_them() throws Exception {
        try (CamelContext camel = new DefaultCamelContext()) {
            BatchMessage message = new BatchMessage(camel, "key", header -> header.accept("kafka.KEY", "77"));
            message.setRowHeaders("{\"tenant\": \"acme\"}");

            assertThat(message.copy().getHeaders())
                    .containsEntry("kafka.KEY", "77")
                    .containsEntry("tenant", "acme");
        }
    }
}
