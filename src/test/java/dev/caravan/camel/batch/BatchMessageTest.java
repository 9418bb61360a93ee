package dev.caravan.camel.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.Test;

class BatchMessageTest {
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
