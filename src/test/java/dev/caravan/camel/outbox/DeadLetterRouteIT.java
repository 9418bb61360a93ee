package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.engine.lane.LaneCounters.Count;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.model.RouteDefinition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A route dead-letter that hangs delays neither its lane nor the stop of the relay, and the dead letters that it misses are counted. */
class DeadLetterRouteIT {
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final AtomicInteger seen = new AtomicInteger();
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;

    @AfterEach
    void close() throws Exception {
        hangs.countDown();
    }

    @Test
    void a_lane_continues_while_the_route_hangs_and_all_its_dead_letters_are_stored() throws Exception {
        outbox.insertMany(3_000, 10);
        start();

        eventually(() -> assertThat(outbox.dead("orders")).hasSize(2_400));
        eventually(() -> assertThat(destination.ids()).hasSize(600));
        // A dead letter is passed to the route after its save was committed. The route takes four, and a thousand wait.
        eventually(() -> assertThat(relay.counted(Count.DEAD_LETTERS_MISSED)).isBetween(1_300L, 1_400L));

        hangs.countDown();
        eventually(() -> assertThat(seen.get() + relay.counted(Count.DEAD_LETTERS_MISSED))
                .isEqualTo(2_400));
    }

    @Test
    void a_message_that_the_route_has_marked_for_rollback_has_a_reason() throws Exception {
        List<String> reasons = new CopyOnWriteArrayList<>();
        relay = TestRelay.start(outbox.pool(), routes -> {
            routes.from("direct:dead-letter")
                    .process(exchange ->
                            reasons.add(exchange.getMessage().getHeader(OutboxConstants.ERROR_CLASS, String.class)));
            routes.from("outbox:orders?maxAttempts=1").markRollbackOnly();
        });
        outbox.insert("a");

        eventually(() -> assertThat(reasons).containsExactly("the route marked it for rollback"));
    }

    /** Camel guesses GET for an address with a query, and a GET has no body. */
    @ParameterizedTest
    @ValueSource(strings = {"to", "toD", "wireTap"})
    void the_route_and_a_copy_post_what_they_send(String step) throws Exception {
        try (RawHttp receiver = RawHttp.answering(RawHttp.EMPTY)) {
            String uri = receiver.url() + "/alerts?severity=high";
            relay = TestRelay.start(outbox.pool(), routes -> {
                RouteDefinition orders = routes.from("outbox:orders?earlyAcknowledge=true&maxAttempts=1");
                RouteDefinition route = routes.from("direct:dead-letter");
                switch (step) {
                    case "to" -> {
                        orders.to("outbox:dead-letter");
                        route.to(uri);
                    }
                    case "toD" -> {
                        orders.to("outbox:dead-letter");
                        route.toD(uri + "&type=${header.type}");
                    }
                    default -> {
                        orders.wireTap(uri);
                        route.log("none");
                    }
                }
            });
            outbox.insert("a", "order.created", "{\"a\":1}");

            eventually(() -> assertThat(receiver.requests()).singleElement().satisfies(request -> {
                assertThat(request.line()).startsWith("POST /alerts?severity=high");
                assertThat(request.text()).isEqualTo("{\"a\":1}");
            }));
        }
    }

    /** In a log, which more people read than may see messages. */
    @Test
    void a_failure_of_the_route_is_logged_without_an_address_that_it_computes() throws Exception {
        try (WrittenLog log = WrittenLog.of(DeadLetterRoute.class)) {
            relay = TestRelay.start(outbox.pool(), routes -> {
                routes.errorHandler(new NoErrorHandlerBuilder());
                routes.from("outbox:orders").to("outbox:dead-letter");
                routes.from("direct:dead-letter").toD("http://${header.type}.shop.invalid/alerts");
            });
            outbox.execute(
                    "insert into outbox (aggregate_type, aggregate_id, type) values ('order', '1', 'annahuber')");

            eventually(() -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("Route dead-letter failed"))
                    .noneMatch(line -> line.contains("annahuber")));
        }
    }

    @Tag("long")
    @Test
    void a_relay_stops_while_the_route_hangs() throws Exception {
        outbox.insertMany(20, 10);
        start();
        eventually(() -> assertThat(outbox.dead("orders")).hasSize(16));
        Instant before = Instant.now();

        relay.close();

        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(60));
        assertThat(outbox.saved("orders").owner()).as("the lease is given back").isNull();
    }

    private void start() throws Exception {
        relay = TestRelay.start(outbox.pool(), routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("direct:dead-letter").process(exchange -> {
                hangs.await();
                seen.incrementAndGet();
            });
            routes.from("outbox:orders?order=none")
                    .choice()
                    .when(exchange -> exchange.getMessage().getHeader(OutboxConstants.POSITION, Long.class) % 5 == 0)
                    .process(destination)
                    .otherwise()
                    .to("outbox:dead-letter")
                    .end();
        });
    }
}
