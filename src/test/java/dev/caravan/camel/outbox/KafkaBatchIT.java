package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Batches to a real Kafka: records are those that a route with one message per exchange sends. */
class KafkaBatchIT {
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void each_message_is_a_record_as_without_batches() throws Exception {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                + " select 'order', 'k' || n % 3, 'order.created', jsonb_build_object('tenant', 't' || n, 'Tenant-2', n, 'none', null),"
                + " jsonb_build_object('name', 'Zoë ' || n) from generate_series(1, 20) n");
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload_bytes)"
                + " values ('order', 'k0', 'order.binary', '\\xff00')");
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'k0', 'order.empty')");
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, headers, payload) values"
                + " ('order', 'k0', 'order.hostile', '{\"kafka.OVERRIDE_TOPIC\": \"elsewhere\", \"kafka.KEY\": \"another\","
                + " \"kafka.PARTITION_KEY\": \"-5\", \"ID\": \"forged\"}', '{}')");
        String singly = TestKafka.newTopic(2);
        String together = TestKafka.newTopic(2);

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:singly?pipelined=true").to(kafka(singly));
            routes.from("outbox:together?batching=true").to(kafka(together));
        })) {
            outbox.awaitPassed("singly", 23);
            outbox.awaitPassed("together", 23);
        }

        assertThat(records(together))
                .isEqualTo(records(singly))
                .hasSize(23)
                .noneMatch(record -> record.contains("none"));
    }

    @Tag("long")
    @Test
    void a_split_chooses_the_topic_of_each_message_and_the_list_is_sent_at_once() throws Exception {
        outbox.insert("a", "order.created", "1");
        outbox.insert("a", "booking.created", "2");
        outbox.insert("b", "order.created", "3");
        String orders = TestKafka.newTopic(2);
        String bookings = TestKafka.newTopic(2);

        try (TestRelay relay =
                TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:together?batching=true")
                        .split()
                        .body()
                        .filter(routes.simple("${header.type} == 'booking.created'"))
                        .setHeader(KafkaConstants.OVERRIDE_TOPIC, routes.constant(bookings))
                        .end()
                        .end()
                        .to(kafka(orders)))) {
            outbox.awaitPassed("together", 3);
        }

        assertThat(records(orders)).hasSize(2);
        assertThat(records(bookings)).hasSize(1).allMatch(record -> record.endsWith("2"));
    }

    @Test
    void a_record_that_is_too_large_is_dead_and_the_others_are_sent_once() throws Exception {
        for (int i = 0; i < 50; i++) {
            outbox.insert("k" + i % 5);
        }
        long large = outbox.insert("k0", "order.created", "\"" + "x".repeat(2 << 20) + "\"");
        outbox.insert("k1");
        String topic = TestKafka.newTopic(2);

        try (TestRelay relay = TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from("outbox:together?batching=true&batchMaxBytes=100000000")
                        .to(kafka(topic)))) {
            eventually(() -> assertThat(outbox.dead("together")).containsExactly(large));
            outbox.awaitPassed("together", 52);
        }

        assertThat(records(topic)).hasSize(51);
        assertThat(outbox.text("select error_class from outbox_dead_letter"))
                .isEqualTo("org.apache.kafka.common.errors.RecordTooLargeException");
    }

    @Tag("long")
    @Test
    void a_record_that_cannot_be_made_fails_its_message_and_the_others_arrive() throws Exception {
        outbox.insert(6);
        String topic = TestKafka.newTopic(1);

        try (TestRelay relay = TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from("outbox:together?batching=true&backoff=1d")
                        .split()
                        .body()
                        .filter(routes.simple("${header.aggregate-id} == '3'"))
                        .setHeader(KafkaConstants.PARTITION_KEY, routes.constant(-5))
                        .end()
                        .end()
                        .to(kafka(topic)))) {
            outbox.awaitPassed("together", 6);
        }

        assertThat(outbox.waiting("together")).containsExactly(new TestOutbox.Waiting(3, false, 1));
        assertThat(records(topic).stream().map(record -> record.split(" ")[0]).distinct())
                .containsExactly("1", "2", "4", "5", "6");
    }

    private static String kafka(String topic) {
        return "kafka:" + topic + "?brokers=" + TestKafka.brokers();
    }

    /** All records of a topic with one partition, with key, headers in alphabetical order and value. */
    private static List<String> records(String topic) {
        return TestKafka.binaryRecords(topic).stream()
                .map(KafkaBatchIT::text)
                .sorted()
                .toList();
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new TreeMap<>();
        record.headers()
                .forEach(header -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
        return new String(record.key(), StandardCharsets.UTF_8) + " " + headers + " "
                + (record.value() == null ? null : new String(record.value(), StandardCharsets.ISO_8859_1));
    }
}
