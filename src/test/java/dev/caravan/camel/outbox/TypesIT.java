package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(strings = {"", "&pipelined=true", "&order=none"})
    void waiting_messages_of_a_type_that_is_no_longer_selected_are_dead_and_not_sent_to_the_new_destination(
            String option) throws Exception {
        failAll("ta,tb", option, "a ta", "a ta", "a tb", "b ta", "c tb");
        TestDestination other = new TestDestination();

        try (var relay = TestRelay.start(outbox, narrowed(option), other)) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L, 2L, 4L));
            eventually(() -> assertThat(other.ids()).containsExactlyInAnyOrder(3L, 5L));
            assertThat(outbox.text("select distinct concat_ws(' ', error_class, error_text) from outbox_dead_letter"))
                    .isEqualTo("TypeNotSelected The type of the message is no longer selected by types=tb, so the"
                            + " message was not sent. Add its type to types and retry the message, or discard it");

            assertThat(new Person(outbox).retryAll()).isEqualTo(3);
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L, 2L, 4L));
            assertThat(other.ids()).containsExactlyInAnyOrder(3L, 5L);
        }
        try (var relay = TestRelay.start(outbox, "orders?types=ta,tb" + option, other)) {
            new Person(outbox).retryAll();
            eventually(() -> assertThat(other.ids()).containsExactlyInAnyOrder(3L, 5L, 1L, 2L, 4L));
        }
    }

    @Test
    void a_replayed_message_whose_type_is_no_longer_selected_is_dead_too() throws Exception {
        TestDestination destination = new TestDestination();
        outbox.insert("a", "ta", "{}");
        outbox.insert("a", "tb", "{}");
        try (var relay = TestRelay.start(outbox, "orders?types=ta,tb", destination)) {
            outbox.awaitPassed("orders", 2);
        }
        new Person(outbox).replayFrom("orders", 1);
        TestDestination other = new TestDestination();

        try (var relay = TestRelay.start(outbox, narrowed(""), other)) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
            eventually(() -> assertThat(other.ids()).containsExactly(2L));
        }
    }

    @Test
    void a_dead_letter_of_a_type_that_is_no_longer_selected_blocks_only_its_key_until_it_is_discarded()
            throws Exception {
        failAll("ta,tb", "&onDead=block", "a ta", "a ta", "a tb", "b ta", "c tb");
        TestDestination other = new TestDestination();

        try (var relay = TestRelay.start(outbox, narrowed("&onDead=block"), other)) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L, 4L));
            eventually(() -> assertThat(other.ids()).containsExactly(5L));
            assertThat(outbox.waiting("orders"))
                    .extracting(TestOutbox.Waiting::id)
                    .containsExactly(2L, 3L);

            new Person(outbox).discardAll();
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(2L));
            new Person(outbox).discardAll();
            eventually(() -> assertThat(other.ids()).containsExactly(5L, 3L));
        }
    }

    @Test
    void in_order_strict_a_waiting_message_of_a_type_that_is_no_longer_selected_is_dead_and_holds_back_the_others()
            throws Exception {
        outbox.insert("a", "ta", "{}");
        outbox.insert("b", "tb", "{}");
        fail("ta,tb", "&order=strict", 1);
        TestDestination other = new TestDestination();

        try (var relay = TestRelay.start(outbox, narrowed("&order=strict"), other)) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
            assertThat(other.ids()).isEmpty();

            new Person(outbox).discardAll();
            eventually(() -> assertThat(other.ids()).containsExactly(2L));
        }
    }

    @Test
    void no_batch_has_a_message_of_a_type_that_is_no_longer_selected() throws Exception {
        failAll("ta,tb", "", "a ta", "a tb", "a ta", "a ta", "a tb", "b tb");
        List<Long> arrived = new CopyOnWriteArrayList<>();

        try (var relay = TestRelay.start(outbox, narrowed("&batching=true"), exchange -> {
            for (Message message : MessageBatch.of(exchange)) {
                arrived.add(message.getHeader(OutboxConstants.POSITION, Long.class));
            }
        })) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L, 3L, 4L));
            eventually(() -> assertThat(arrived).containsExactlyInAnyOrder(2L, 5L, 6L));
        }
    }

    private static String narrowed(String option) {
        return "orders?types=tb&backoff=1ms&maxBackoff=1ms" + option;
    }

    /** Inserts messages, each with a key and a type, which wait after their destination has failed. */
    private void failAll(String types, String option, String... messages) throws Exception {
        for (String message : messages) {
            outbox.insert(message.split(" ")[0], message.split(" ")[1], "{}");
        }
        fail(types, option, messages.length);
    }

    private void fail(String types, String option, int waiting) throws Exception {
        TestDestination failing = new TestDestination();
        failing.failIf(arrival -> true);
        String uri = "orders?types=" + types + "&maxAttempts=1000&backoff=1ms&maxBackoff=1ms" + option;
        try (var relay = TestRelay.start(outbox, uri, failing)) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(waiting));
        }
    }
}
