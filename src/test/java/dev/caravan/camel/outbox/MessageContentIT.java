package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.List;
import java.util.UUID;
import org.apache.camel.component.kafka.KafkaConstants;
import org.junit.jupiter.api.Test;

class MessageContentIT {
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

    private TestDestination.Arrival onlyArrival() throws Exception {
        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(destination.arrivals()).hasSize(1));
        }
        return destination.arrivals().get(0);
    }
}
