package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Routes with the names that camel-kafka has for its headers before 4.18.3, and with those since. */
class KafkaHeaderNamesIT {
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void either_name_sets_topic_key_and_time_of_a_record_alone_and_in_a_batch() throws Exception {
        outbox.insert("a");
        String unused = TestKafka.newTopic(1);
        String topic = TestKafka.newTopic(1);
        String kafka = "kafka:" + unused + "?brokers=" + TestKafka.brokers();

        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:older")
                    .setHeader("kafka.OVERRIDE_TOPIC", routes.constant(topic))
                    .setHeader("kafka.KEY", routes.simple("older ${header.aggregate-id}"))
                    .setHeader("kafka.OVERRIDE_TIMESTAMP", routes.constant(1_000))
                    .to(kafka);
            routes.from("outbox:newer")
                    .setHeader("CamelKafkaOverrideTopic", routes.constant(topic))
                    .setHeader("CamelKafkaKey", routes.simple("newer ${header.aggregate-id}"))
                    .setHeader("CamelKafkaOverrideTimestamp", routes.constant(1_000))
                    .to(kafka);
            routes.from("outbox:batch?batching=true")
                    .split(routes.body())
                    .setHeader("CamelKafkaOverrideTopic", routes.constant(topic))
                    .setHeader("CamelKafkaKey", routes.simple("batch ${header.aggregate-id}"))
                    .setHeader("CamelKafkaOverrideTimestamp", routes.constant(1_000))
                    .end()
                    .to(kafka);
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
                .to("kafka:" + unused + "?brokers=" + TestKafka.brokers())
                .to("kafka:" + second + "?brokers=" + TestKafka.brokers()))) {
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
                    .to("kafka:" + topic + "?brokers=" + TestKafka.brokers());
            for (String kept : List.of("kafka.KEY", "CamelKafkaKey", "id|kafka[.]KEY", "CamelKafka*", "none")) {
                routes.from("outbox:" + kept.toLowerCase().replaceAll("\\W", "-"))
                        .removeHeaders("*", kept)
                        .setBody(routes.constant(kept))
                        .to("kafka:" + topic + "?brokers=" + TestKafka.brokers());
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
}
