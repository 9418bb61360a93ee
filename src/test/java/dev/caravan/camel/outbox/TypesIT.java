package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TypesIT {
    private static final String[] TYPES =
            "order.created order.paid orders.x booking.made 100% 100x a_b axb a\\b".split(" ");
    /** What a subscription to these types receives. */
    private static final Map<String, String> RECEIVED = Map.of(
            "*", "order.created order.paid orders.x booking.made 100% 100x a_b axb a\\b",
            "order.*", "order.created order.paid",
            "order.paid,booking.*, 100%", "order.paid booking.made 100%",
            "100%", "100%",
            "a_b", "a_b",
            "a\\b", "a\\b",
            "*.*", "order.created order.paid orders.x booking.made");

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void only_messages_of_the_types_are_delivered_and_the_others_are_passed() throws Exception {
        List<String> subscribed = List.copyOf(RECEIVED.keySet());
        Map<String, TestDestination> destinations = new HashMap<>();
        subscribed.forEach(types -> destinations.put(types, new TestDestination()));
        for (String type : TYPES) {
            outbox.insert("a", type, "{}");
        }

        var pool = outbox.pool();
        pool.setMaximumPoolSize(2 * subscribed.size());
        try (var relay = TestRelay.start(
                pool,
                routes -> subscribed.forEach(
                        types -> routes.from("outbox:types-" + subscribed.indexOf(types) + "?types=RAW(" + types + ")")
                                .process(destinations.get(types))))) {
            for (int n = 0; n < subscribed.size(); n++) {
                String name = "types-" + n;
                eventually(() ->
                        assertThat(outbox.passed(name, TYPES.length)).as(name).isTrue());
            }
        }

        RECEIVED.forEach((types, expected) -> assertThat(destinations.get(types).arrivals())
                .as(types)
                .extracting(TestDestination.Arrival::type)
                .containsExactly(expected.split(" ")));
    }

    @Test
    void a_message_of_another_type_that_fills_a_gap_is_passed_too() throws Exception {
        TestDestination destination = new TestDestination();
        try (var relay = TestRelay.start(outbox, "orders?types=booking.*", destination)) {
            var slow = outbox.begin();
            slow.insert("a");
            long booking = outbox.insert("b", "booking.made", "{}");
            eventually(() -> assertThat(destination.ids()).containsExactly(booking));

            slow.commit();

            eventually(() -> assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue());
            assertThat(destination.ids()).containsExactly(booking);
        }
    }
}
