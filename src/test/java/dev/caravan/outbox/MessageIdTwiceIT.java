package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two rows with one message id are two messages. */
class MessageIdTwiceIT {
    private final TestDestination destination = new TestDestination();
    private TestOutbox outbox;

    @BeforeEach
    void insertTwice() throws Exception {
        outbox = TestOutbox.create();
        outbox.jdbc()
                .update(
                        "insert into outbox (message_id, aggregate_type, aggregate_id, type, payload)"
                                + " select '3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a', 'order', 'a', 'order.created', '{}' from generate_series(1, 2)");
    }

    @AfterEach
    void close() throws Exception {
        outbox.close();
    }

    @Test
    void both_are_delivered() throws Exception {
        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(outbox.passed("orders", 2)).isTrue());
        }

        assertThat(destination.ids()).containsExactly(1L, 2L);
    }

    @Test
    void an_idempotent_consumer_drops_the_second_which_counts_as_delivered() throws Exception {
        RouteBuilder route = new RouteBuilder() {
            @Override
            public void configure() {
                from("outbox:orders")
                        .idempotentConsumer(header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                        .eager(false)
                        .process(destination);
            }
        };
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), route)) {
            eventually(() -> assertThat(outbox.passed("orders", 2)).isTrue());
        }

        assertThat(destination.ids()).containsExactly(1L);
        assertThat(outbox.dead("orders")).isEmpty();
    }
}
