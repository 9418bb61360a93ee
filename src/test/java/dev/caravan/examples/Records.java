package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The records that a consumer receives from a topic. */
final class Records {
    private static final Duration POLL = Duration.ofMillis(50);

    /** A record without what differs from run to run. */
    record Received(String key, String value, Map<String, String> headers) {
        private static Received of(ConsumerRecord<String, String> record) {
            Map<String, String> headers = new TreeMap<>();
            record.headers()
                    .forEach(header -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
            return new Received(record.key(), record.value(), headers);
        }
    }

    private Records() {}

    /** The message ids of the records that stand in a topic now. */
    static List<String> ids(String topic) {
        return TestKafka.records(topic).stream()
                .map(record -> new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8))
                .toList();
    }

    /** The records of a topic, those of each key in order, as soon as there are this many. */
    static List<Received> of(String brokers, String topic, int expected) throws Exception {
        List<Received> received = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", brokers, "max.poll.records", 10_000),
                new StringDeserializer(),
                new StringDeserializer())) {
            eventually(() -> assertThat(consumer.partitionsFor(topic)).isNotEmpty());
            var partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            eventually(() -> {
                consumer.poll(POLL).forEach(record -> received.add(Received.of(record)));
                assertThat(received).hasSizeGreaterThanOrEqualTo(expected);
            });
        }
        return received;
    }
}
