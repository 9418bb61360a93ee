package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.headers.RowHeaders;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.Test;

class FaultTest {
    /** Each one takes time in each text of the result, and a row may have thousands of them. */
    @Test
    void the_secret_headers_that_were_sent_are_limited_and_those_of_the_route_come_first() throws Exception {
        try (var camel = new DefaultCamelContext()) {
            Exchange exchange = new DefaultExchange(camel);
            RowHeaders.setOn(
                    exchange,
                    IntStream.range(0, 1_000)
                            .mapToObj("\"api-token-%1$04d\": \"Bearer of-the-row-%1$04d\""::formatted)
                            .collect(Collectors.joining(",", "{", "}")));
            exchange.getMessage().setHeader("X-Api-Key", "of-the-route");

            assertThat(Fault.of(exchange, new IllegalStateException()).sent())
                    .contains("of-the-route")
                    .hasSizeBetween(190, 210);
        }
    }
}
