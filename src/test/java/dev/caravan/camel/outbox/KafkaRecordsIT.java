package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The records that a real Kafka gets, alone and in batches, whichever names camel-kafka has for its headers: before 4.18.3, or since. */
class KafkaRecordsIT {
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

    @Test
    void either_name_sets_topic_key_and_time_of_a_record_alone_and_in_a_batch() throws Exception {
        outbox.insert("a");
        String unused = TestKafka.newTopic(1);
        String topic = TestKafka.newTopic(1);
        String to = kafka(unused);

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:older")
                    .setHeader("kafka.OVERRIDE_TOPIC", routes.constant(topic))
                    .setHeader("kafka.KEY", routes.simple("older ${header.aggregate-id}"))
                    .setHeader("kafka.OVERRIDE_TIMESTAMP", routes.constant(1_000))
                    .to(to);
            routes.from("outbox:newer")
                    .setHeader("CamelKafkaOverrideTopic", routes.constant(topic))
                    .setHeader("CamelKafkaKey", routes.simple("newer ${header.aggregate-id}"))
                    .setHeader("CamelKafkaOverrideTimestamp", routes.constant(1_000))
                    .to(to);
            routes.from("outbox:batch?batching=true")
                    .split(routes.body())
                    .setHeader("CamelKafkaOverrideTopic", routes.constant(topic))
                    .setHeader("CamelKafkaKey", routes.simple("batch ${header.aggregate-id}"))
                    .setHeader("CamelKafkaOverrideTimestamp", routes.constant(1_000))
                    .end()
                    .to(to);
        })) {
            for (String subscription : List.of("older", "newer", "batch")) {
                outbox.awaitPassed(subscription, 1);
            }
        }

        List<ConsumerRecord<String, String>> records = TestKafka.records(topic);
        assertThat(records).extracting(ConsumerRecord::key).containsExactlyInAnyOrder("older a", "newer a", "batch a");
        assertThat(records).extracting(ConsumerRecord::timestamp).containsOnly(1_000L);
        assertThat(TestKafka.records(unused)).isEmpty();
    }

    @Test
    void the_newer_name_counts_and_topic_and_time_are_those_of_one_record() throws Exception {
        outbox.insert("a");
        String unused = TestKafka.newTopic(1);
        String first = TestKafka.newTopic(1);
        String second = TestKafka.newTopic(1);

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:both")
                .setHeader("CamelKafkaOverrideTopic", routes.constant(first))
                .setHeader("kafka.OVERRIDE_TOPIC", routes.constant(unused))
                .setHeader("KAFKA.key", routes.constant("older"))
                .setHeader("camelkafkakey", routes.constant("newer"))
                .setHeader("kafka.OVERRIDE_TIMESTAMP", routes.constant(1_000))
                .to(kafka(unused))
                .to(kafka(second)))) {
            outbox.awaitPassed("both", 1);
        }

        assertThat(TestKafka.records(unused)).isEmpty();
        assertThat(TestKafka.records(first)).singleElement().satisfies(record -> {
            assertThat(record.key()).isEqualTo("newer");
            assertThat(record.timestamp()).isEqualTo(1_000L);
        });
        assertThat(TestKafka.records(second)).singleElement().satisfies(record -> {
            assertThat(record.key()).isEqualTo("newer");
            assertThat(record.timestamp()).isGreaterThan(1_000L);
        });
    }

    @Test
    void a_step_that_removes_headers_knows_either_name() throws Exception {
        outbox.insert("a");
        String topic = TestKafka.newTopic(1);

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:removed")
                    .removeHeader("CamelKafkaKey")
                    .setBody(routes.constant("removed"))
                    .to(kafka(topic));
            for (String kept : List.of("kafka.KEY", "CamelKafkaKey", "id|kafka[.]KEY", "CamelKafka*", "none")) {
                routes.from("outbox:" + kept.toLowerCase().replaceAll("\\W", "-"))
                        .removeHeaders("*", kept)
                        .setBody(routes.constant(kept))
                        .to(kafka(topic));
            }
        })) {
            eventually(Duration.ofSeconds(20), () -> assertThat(TestKafka.records(topic))
                    .hasSize(6));
        }

        assertThat(TestKafka.records(topic))
                .extracting(record -> record.value() + " " + record.key())
                .containsExactlyInAnyOrder(
                        "kafka.KEY a",
                        "CamelKafkaKey a",
                        "id|kafka[.]KEY a",
                        "CamelKafka* a",
                        "none null",
                        "removed null");
    }

    private static String kafka(String topic) {
        return "kafka:" + topic + "?brokers=" + TestKafka.brokers();
    }

    /** All records of a topic with one partition, with key, headers in alphabetical order and value. */
    private static List<String> records(String topic) {
        return TestKafka.binaryRecords(topic).stream()
                .map(KafkaRecordsIT::text)
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
