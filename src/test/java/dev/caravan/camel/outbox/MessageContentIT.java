package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.operate.failed.DeadLetters;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.component.kafka.KafkaConstants;
import org.junit.jupiter.api.Test;

/** What a route receives of a row: its columns, its headers and its payload, also one of bytes that fails, is dead, retried and replayed. */
class MessageContentIT {
    private static final byte[] EACH_BYTE = eachByte();

    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void each_payload_is_delivered_as_it_was_written() throws Exception {
        List<String> payloads = List.of(
                "{\"b\" :  1,\n\t\"a\":2 }",
                "{\"a\":1,\"a\":2}",
                "{\"n\": 1.10, \"big\": 123456789012345678901234567890, \"e\": 1e2}",
                "{\"text\":\"größe 漢字 😀 \\u00e9 \\u0000 \\/\"}",
                "  [1, 2]  ",
                "\"text\"",
                "null");
        payloads.forEach(payload -> outbox.insert("a", "order.created", payload));

        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(destination.arrivals()).hasSize(payloads.size()));
        }
        assertThat(destination.arrivals())
                .extracting(TestDestination.Arrival::body)
                .containsExactlyElementsOf(payloads);
    }

    @Test
    void a_null_payload_is_delivered_as_an_empty_body() throws Exception {
        outbox.insert("a", "order.deleted", null);

        assertThat(onlyArrival().body()).isNull();
    }

    @Test
    void the_columns_of_the_message_are_headers() throws Exception {
        UUID messageId = UUID.randomUUID();
        outbox.execute(
                "insert into outbox (message_id, aggregate_type, aggregate_id, type, created_at)"
                        + " values (?, 'order', '77', 'order.paid', '2026-03-29 03:30:00.123456+02')",
                messageId);

        var headers = onlyArrival().headers();

        assertThat(headers)
                .containsEntry("id", messageId.toString())
                .containsEntry("type", "order.paid")
                .containsEntry("aggregate-type", "order")
                .containsEntry("aggregate-id", "77")
                .containsEntry("created-at", "2026-03-29T01:30:00.123456Z")
                .containsEntry("outbox-id", "1")
                .containsEntry(OutboxConstants.SUBSCRIPTION, "orders")
                .containsEntry(OutboxConstants.POSITION, 1L)
                .containsEntry(OutboxConstants.ATTEMPT, 1)
                .containsEntry(KafkaConstants.KEY, "77");
    }

    @Test
    void the_headers_of_the_message_travel_as_text() throws Exception {
        outbox.insertWithHeaders(
                "{\"trace\": \"abc\", \"count\": 3, \"urgent\": true, \"price\": 12345678901234567.89, \"tiny\":"
                        + " 0.00000001, \"rate\": 1.10, \"large\": 123456789012345678901234567890, \"object\": {\"a\": [1, null]}}");

        assertThat(onlyArrival().headers())
                .containsEntry("trace", "abc")
                .containsEntry("count", "3")
                .containsEntry("urgent", "true")
                .containsEntry("price", "12345678901234567.89")
                .containsEntry("tiny", "0.00000001")
                .containsEntry("rate", "1.10")
                .containsEntry("large", "123456789012345678901234567890")
                .containsEntry("object", "{\"a\":[1,null]}");
    }

    @Test
    void a_header_without_a_value_is_left_out() throws Exception {
        outbox.insertWithHeaders("{\"tenant\": null, \"id\": null, \"trace\": \"abc\", \"text\": \"null\"}");

        assertThat(onlyArrival().headers())
                .doesNotContainKey("tenant")
                .containsEntry("trace", "abc")
                .containsEntry("text", "null");
    }

    @Test
    void the_headers_of_the_message_cannot_replace_those_of_the_outbox() throws Exception {
        outbox.insertWithHeaders("{\"id\": \"mine\", \"type\": \"mine\", \"aggregate-id\": \"mine\"}");

        assertThat(onlyArrival().headers())
                .containsEntry("type", "order.created")
                .containsEntry("aggregate-id", "a")
                .doesNotContainEntry("id", "mine");
    }

    @Test
    void the_bytes_are_delivered_unchanged_by_text_and_by_binary_reads() throws Exception {
        byte[] megabyte = new byte[1_000_000];
        new Random(1).nextBytes(megabyte);
        List<byte[]> payloads = List.of(
                EACH_BYTE, new byte[0], new byte[1], megabyte, new byte[1_000_000], new byte[] {(byte) 0xC3, 0x28, -1});
        payloads.forEach(payload -> insert("a", payload));
        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(destination.arrivals()).hasSize(payloads.size()));
            // the driver prepares a statement on the server at its fifth run, and receives bytes in binary from then on
            for (int n = 1; n <= 6; n++) {
                outbox.insert("b");
                int arrived = payloads.size() + n;
                eventually(() -> assertThat(destination.arrivals()).hasSize(arrived));
            }
            payloads.forEach(payload -> insert("c", payload));
            eventually(() -> assertThat(destination.idsOf("c")).hasSize(payloads.size()));
        }

        assertThat(bodiesOf("a")).containsExactlyElementsOf(payloads);
        assertThat(bodiesOf("c")).containsExactlyElementsOf(payloads);
    }

    @Test
    void a_message_of_bytes_keeps_its_place_among_messages_of_json() throws Exception {
        outbox.insert("a", "order.created", "{\"n\": 1}");
        insert("a", EACH_BYTE);
        outbox.insert("a", "order.deleted", null);

        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(destination.arrivals()).hasSize(3));
        }

        assertThat(destination.arrivals())
                .extracting(TestDestination.Arrival::body)
                .containsExactly("{\"n\": 1}", EACH_BYTE, null);
    }

    @Test
    void a_message_has_json_or_bytes() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() ->
                        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload, payload_bytes)"
                                + " values ('order', 'a', 'order.created', '{}', '\\x00')"))
                .hasMessageContaining("outbox_has_one_payload");
    }

    @Test
    void the_bytes_survive_retries_a_dead_letter_a_block_and_a_replay() throws Exception {
        insert("a", EACH_BYTE);
        insert("a", new byte[] {1});
        insert("a", new byte[0]);
        List<Object> bodiesOfDead = new CopyOnWriteArrayList<>();
        destination.failIf(arrival -> true);
        Person person = new Person(outbox);

        try (TestRelay relay = TestRelay.start(outbox.pool(), routes -> {
            routes.errorHandler(routes.noErrorHandler());
            routes.from("outbox:orders?backoff=1ms&maxBackoff=1ms&maxAttempts=2&onDead=block")
                    .process(destination);
            routes.from("direct:dead-letter")
                    .process(exchange -> bodiesOfDead.add(exchange.getMessage().getBody()));
        })) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
            assertThat(stored("outbox_dead_letter")).containsExactly(EACH_BYTE);
            eventually(() -> assertThat(stored("outbox_retry")).containsExactly(new byte[] {1}, new byte[0]));
            eventually(() -> assertThat(bodiesOfDead).containsExactly(EACH_BYTE));

            destination.failIf(arrival -> false);
            assertThat(person.retryAll()).isEqualTo(1);
            eventually(() -> assertThat(bodies()).containsExactly(EACH_BYTE, new byte[] {1}, new byte[0]));

            eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
            assertThat(person.replayFrom("orders", 1)).isEqualTo(3);
            eventually(() -> assertThat(bodies())
                    .containsExactly(EACH_BYTE, new byte[] {1}, new byte[0], EACH_BYTE, new byte[] {1}, new byte[0]));
        }
    }

    @Test
    void a_message_that_is_given_up_keeps_its_bytes() throws Exception {
        insert("a", EACH_BYTE);
        destination.failIf(arrival -> true);

        try (TestRelay relay = TestRelay.start(outbox, "orders?backoff=1h&maxBackoff=1h", destination)) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
            assertThat(new Person(outbox).giveUpAll()).isEqualTo(1);
        }

        assertThat(new DeadLetters(outbox.dataSource())
                        .find("orders", 1)
                        .orElseThrow()
                        .content()
                        .bytes())
                .contains(EACH_BYTE);
    }

    @Test
    void bytes_that_a_route_parses_as_json_become_a_dead_letter_that_quotes_nothing() throws Exception {
        insert("a", "<order><customer>Jane Doe</customer></order>".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        insert("b", EACH_BYTE);
        insert("c", new byte[0]);

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .setBody()
                .jsonpath("$.total")
                .process(destination))) {
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L, 2L, 3L));
        }

        List<String> errors = outbox.jdbc()
                .queryForList(
                        "select error_class || ': ' || error_text || error_stack from outbox_dead_letter order by id",
                        String.class);
        assertThat(errors).allSatisfy(error -> assertThat(error)
                .contains("The payload is binary, but a step of the route expects JSON. ")
                .doesNotContain("Jane"));
    }

    @Test
    void a_route_can_tell_bytes_from_json() throws Exception {
        insert("a", EACH_BYTE);
        outbox.insert("b");

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .filter(routes.simple("${body} is 'byte[]'"))
                .process(destination))) {
            outbox.awaitPassed("orders", 2);
        }

        assertThat(bodies()).containsExactly(EACH_BYTE);
    }

    private List<Object> bodiesOf(String key) {
        return destination.arrivals().stream()
                .filter(arrival -> arrival.key().equals(key))
                .map(TestDestination.Arrival::body)
                .toList();
    }

    private List<Object> bodies() {
        return destination.arrivals().stream()
                .map(TestDestination.Arrival::body)
                .toList();
    }

    private List<byte[]> stored(String table) {
        return outbox.jdbc().queryForList("select payload_bytes from " + table + " order by id", byte[].class);
    }

    private void insert(String key, byte[] payload) {
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, payload_bytes) values ('order', ?, 'order.created', ?)",
                key,
                payload);
    }

    static byte[] eachByte() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private TestDestination.Arrival onlyArrival() throws Exception {
        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(destination.arrivals()).hasSize(1));
        }
        return destination.arrivals().get(0);
    }
}
