package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.headers.OutboxConstants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.camel.Exchange;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Options with their smallest and largest values, and routes that share a subscription, on a real database. */
class EdgeOptionsIT {
    private static final Map<String, String> OPTIONS = new TreeMap<>(Map.of(
            "smallest", "window=1",
            "smallest-pipelined", "window=1&pipelined=true",
            "smallest-strict", "window=1&order=strict",
            "smallest-none", "window=1&order=none",
            "lanes", "lanes=8&window=1&pipelined=true",
            "many-lanes", "lanes=64&concurrency=1"));

    private final Map<String, List<Long>> arrived = new ConcurrentHashMap<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private final TestOutbox outbox = TestOutbox.create();

    @Tag("long")
    @Test
    void at_the_ends_of_the_options_every_message_arrives_in_order_also_when_some_fail() throws Exception {
        int messages = 60;
        int keys = 5;
        outbox.insertMany(messages, keys);
        var pool = outbox.pool();
        pool.setMaximumPoolSize(40);
        try (TestRelay relay = TestRelay.start(pool, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            OPTIONS.forEach((name, options) -> routes.from("outbox:" + name + "?backoff=5ms&maxBackoff=5ms&" + options)
                    .routeId(name)
                    .process(EdgeOptionsIT.this::arrive));
        })) {
            for (String name : OPTIONS.keySet()) {
                eventually(Duration.ofSeconds(60), () -> {
                    assertThat(List.copyOf(arrived.getOrDefault(name, List.of())).stream()
                                    .distinct())
                            .as(name)
                            .hasSize(messages);
                    assertThat(outbox.waiting(name)).as(name).isEmpty();
                });
            }
        }
        OPTIONS.keySet().stream().filter(name -> !name.endsWith("none")).forEach(name -> inOrder(name, keys));
    }

    private void inOrder(String name, int keys) {
        Map<Long, List<Long>> lastOfKey = new HashMap<>();
        List<Long> ids = List.copyOf(arrived.get(name));
        for (int i = 0; i < ids.size(); i++) {
            if (!ids.subList(i + 1, ids.size()).contains(ids.get(i))) {
                lastOfKey
                        .computeIfAbsent(ids.get(i) % keys, key -> new ArrayList<>())
                        .add(ids.get(i));
            }
        }
        assertThat(lastOfKey.values()).as(name).allSatisfy(key -> assertThat(key)
                .isSorted());
    }

    /** Each seventh message fails twice for each subscription. */
    private void arrive(Exchange exchange) {
        String subscription = exchange.getMessage().getHeader(OutboxConstants.SUBSCRIPTION, String.class);
        long id = exchange.getMessage().getHeader(OutboxConstants.POSITION, Long.class);
        if (id % 7 == 0 && failures.merge(subscription + "/" + id, 1, Integer::sum) <= 2) {
            throw new IllegalStateException("told to fail");
        }
        arrived.computeIfAbsent(subscription, name -> java.util.Collections.synchronizedList(new ArrayList<>()))
                .add(id);
    }

    @Tag("long")
    @Test
    void a_route_that_is_suspended_restarted_and_replaced_in_the_middle_delivers_each_message_once_and_in_order()
            throws Exception {
        TestDestination destination = new TestDestination();
        int messages = 400;
        outbox.insertMany(messages, 20);
        destination.before(arrival -> LockSupport.parkNanos(500_000)); // so that the changes come in the middle
        try (TestRelay relay = TestRelay.start(outbox.pool(), to(destination))) {
            var controller = relay.context().getRouteController();
            arrives(destination, 40);
            controller.suspendRoute("tested");
            controller.resumeRoute("tested");
            arrives(destination, 120);
            controller.stopRoute("tested");
            controller.startRoute("tested");
            arrives(destination, 240);
            RouteBuilder.addRoutes(relay.context(), to(destination));

            eventually(() -> assertThat(destination.ids()).hasSize(messages));
            outbox.awaitPassed("orders", messages);
        }
        assertThat(destination.ids()).doesNotHaveDuplicates();
        for (int key = 0; key < 20; key++) {
            assertThat(destination.idsOf("k" + key)).isSorted();
        }
    }

    private static void arrives(TestDestination destination, int count) throws Exception {
        eventually(() -> assertThat(destination.ids()).hasSizeGreaterThan(count));
    }

    private static LambdaRouteBuilder to(TestDestination destination) {
        return routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:orders?window=20&concurrency=2")
                    .routeId("tested")
                    .process(destination);
        };
    }

    @Test
    void two_routes_of_a_relay_cannot_share_a_subscription() {
        assertThatThrownBy(() -> TestRelay.start(outbox.pool(), routes -> {
                            routes.from("outbox:orders?types=a")
                                    .routeId("first")
                                    .to("log:x");
                            routes.from("outbox:orders?types=b")
                                    .routeId("second")
                                    .to("log:x");
                        })
                        .close())
                .hasStackTraceContaining("outbox:orders: another route of this relay reads this subscription");
    }

    @Test
    void headers_of_a_megabyte_and_names_that_differ_by_case_are_delivered_and_kept() throws Exception {
        String large = "x".repeat(1_000_000);
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, payload, headers)"
                        + " values ('order', 'a', 'order.created', '{}', jsonb_build_object('large', ?::text, 'Tenant', 'A', 'tenant', 'b'))",
                large);
        List<Object> seen = java.util.Collections.synchronizedList(new ArrayList<>());
        try (TestRelay relay = TestRelay.start(outbox.pool(), routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:orders?backoff=5ms&maxBackoff=5ms&maxAttempts=2")
                    .process(exchange -> {
                        seen.add(exchange.getMessage()
                                        .getHeader("large", String.class)
                                        .length() + "/" + exchange.getMessage().getHeader("tenant"));
                        throw new IllegalStateException("told to fail");
                    });
        })) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
        }
        assertThat(seen).hasSize(2).allSatisfy(one -> assertThat(one.toString()).startsWith("1000000/"));
        assertThat(outbox.number(
                        "select length(headers ->> 'large') + (select count(*) from jsonb_object_keys(headers) k where lower(k) = 'tenant')"
                                + " from outbox_dead_letter"))
                .isEqualTo(1_000_002L);
    }
}
