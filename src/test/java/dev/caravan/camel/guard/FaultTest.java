package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.headers.RowHeaders;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.Test;

class FaultTest {
    /** Each one takes time in each text of the result, and a row may have thousands of them. */
    @Test
    void the_secret_headers_of_a_route_were_sent_and_those_of_the_row_are_not_counted_again() throws Exception {
        try (var camel = new DefaultCamelContext()) {
            Exchange exchange = new DefaultExchange(camel);
            RowHeaders.setOn(exchange, "{\"token-1\": \"of-the-row-1\", \"api-key\": \"of-the-row-2\"}");
            exchange.getMessage().setHeader("Authorization", "Bearer of-the-route-1");
            exchange.getMessage().setHeader("api-key", "of-the-route-2");
            exchange.getMessage().setBody("body");

            assertThat(Fault.of(exchange, new IllegalStateException()).sent())
                    .containsExactlyInAnyOrder(
                            "body",
                            null,
                            "of-the-route-2",
                            "of-the-route-2",
                            "Bearer of-the-route-1",
                            "of-the-route-1");
        }
    }
}
