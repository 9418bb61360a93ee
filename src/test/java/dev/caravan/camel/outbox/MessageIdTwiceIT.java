package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.apache.camel.builder.Builder.constant;
import static org.apache.camel.builder.Builder.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two rows with one message id are two messages. */
class MessageIdTwiceIT {
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void insertTwice() throws Exception {
        outbox.execute(
                "insert into outbox (message_id, aggregate_type, aggregate_id, type, payload)"
                        + " select '3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a', 'order', 'a', 'order.created', '{}' from generate_series(1, 2)");
    }

    @Test
    void both_are_delivered() throws Exception {
        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            outbox.awaitPassed("orders", 2);
        }

        assertThat(destination.ids()).containsExactly(1L, 2L);
    }

    @Tag("long")
    @Test
    void an_idempotent_consumer_drops_the_second_which_counts_as_delivered() throws Exception {
        LambdaRouteBuilder route = routes -> routes.from("outbox:orders")
                .idempotentConsumer(routes.header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                .eager(false)
                .process(destination);
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), route)) {
            outbox.awaitPassed("orders", 2);
        }

        assertThat(destination.ids()).containsExactly(1L);
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void an_idempotent_subscription_drops_the_second_also_after_a_restart() throws Exception {
        try (TestRelay relay =
                TestRelay.startAsShipped(outbox.pool(), idempotent(route -> route.process(destination)))) {
            outbox.awaitPassed("orders", 2);
        }
        outbox.execute("insert into outbox (message_id, aggregate_type, aggregate_id, type, payload)"
                + " select message_id, 'order', 'b', type, payload from outbox where id = 1");
        try (TestRelay relay =
                TestRelay.startAsShipped(outbox.pool(), idempotent(route -> route.process(destination)))) {
            outbox.awaitPassed("orders", 3);
        }

        assertThat(destination.ids()).containsExactly(1L);
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(outbox.text("select processorname from outbox_idempotent")).isEqualTo("orders");
    }

    @Test
    void an_idempotent_subscription_repeats_what_has_failed_and_stores_no_dead_letter_as_delivered() throws Exception {
        AtomicInteger parts = new AtomicInteger();
        LambdaRouteBuilder route = idempotent(steps -> steps.split(constant(List.of("a", "b")))
                .process(exchange -> {
                    if (parts.incrementAndGet() <= 2) {
                        throw new IllegalStateException("told to fail");
                    }
                })
                .end()
                .process(exchange -> exchange.setRollbackOnly(parts.get() <= 4))
                .choice()
                .when(header("outbox-id").isEqualTo(1))
                .to("outbox:dead-letter"));

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), route)) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
            eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        }

        assertThat(parts)
                .as("the second message was not taken for a repeat of the dead one")
                .hasValueGreaterThanOrEqualTo(8);
        assertThat(outbox.number("select count(*) from outbox_idempotent")).isOne();
    }

    @Test
    void an_idempotent_subscription_fails_a_part_that_would_store_the_id_before_the_others_are_delivered()
            throws Exception {
        LambdaRouteBuilder route = routes -> {
            idempotent(steps -> steps.setHeader("to", constant("direct:asks,direct:end"))
                            .recipientList(header("to")))
                    .accept(routes);
            routes.from("direct:end").process(exchange -> {});
            routes.from("direct:asks")
                    .idempotentConsumer(header("id"))
                    .idempotentRepository("#bean:messageIds")
                    .eager(false)
                    .process(destination);
        };
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), route)) {
            eventually(() -> assertThat(outbox.text("select max(error_text) from outbox_retry"))
                    .contains("treats a part of the message as a repeat"));
        }

        assertThat(destination.ids()).isEmpty();
        assertThat(outbox.number("select count(*) from outbox_idempotent")).isZero();
    }

    @Test
    void an_idempotent_subscription_cannot_have_batches() {
        assertThatThrownBy(() -> TestRelay.start(outbox, "orders?idempotent=true&batching=true", destination))
                .hasStackTraceContaining("batching and idempotent cannot be combined");
    }

    private LambdaRouteBuilder idempotent(Consumer<RouteDefinition> steps) {
        return routes -> {
            routes.getContext().getRegistry().bind("dataSource", outbox.dataSource());
            steps.accept(routes.from("outbox:orders?idempotent=true&backoff=1ms&maxBackoff=1ms"));
        };
    }
}
