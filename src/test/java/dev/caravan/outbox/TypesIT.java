package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypesIT {
    @ParameterizedTest(name = "{0} delivers {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "*               | order.created order.paid orders.x booking.made 100% 100x a_b axb a\\b",
                "order.*         | order.created order.paid",
                "order.paid,booking.*, 100% | order.paid booking.made 100%",
                "100%            | 100%",
                "a_b             | a_b",
                "a\\b            | a\\b",
                "*.*             | order.created order.paid orders.x booking.made",
            })
    void only_messages_of_the_types_are_delivered_and_the_others_are_passed(String types, String expected)
            throws Exception {
        TestDestination destination = new TestDestination();
        try (TestOutbox outbox = TestOutbox.create()) {
            for (String type : "order.created order.paid orders.x booking.made 100% 100x a_b axb a\\b".split(" ")) {
                outbox.insert("a", type, "{}");
            }

            try (var relay = TestRelay.start(outbox, "orders?types=RAW(" + types + ")", destination)) {
                eventually(() -> {
                    assertThat(outbox.saved("orders").position()).isEqualTo(9);
                    assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
                });
            }

            assertThat(destination.arrivals().stream().map(TestDestination.Arrival::type))
                    .containsExactly(expected.split(" "));
        }
    }

    @Test
    void a_message_of_another_type_that_fills_a_gap_is_passed_too() throws Exception {
        TestDestination destination = new TestDestination();
        try (TestOutbox outbox = TestOutbox.create();
                var relay = TestRelay.start(outbox, "orders?types=booking.*", destination)) {
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
