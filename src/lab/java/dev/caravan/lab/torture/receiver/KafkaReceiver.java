package dev.caravan.lab.torture.receiver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic after the run. Records of a key are in the order of the log. */
public final class KafkaReceiver {
    private KafkaReceiver() {}

    public static List<Arrival> all(String brokers, String topic, int partitions) {
        List<Arrival> arrivals = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> all = IntStream.range(0, partitions)
                    .mapToObj(partition -> new TopicPartition(topic, partition))
                    .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (!all.stream().allMatch(partition -> consumer.position(partition) >= ends.get(partition))) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> arrivals.add(arrival(record)));
            }
        }
        return arrivals;
    }

    private static Arrival arrival(ConsumerRecord<byte[], byte[]> record) {
        try {
            return new Arrival(
                    header(record, "id"),
                    new String(record.key(), StandardCharsets.UTF_8),
                    TorturePayload.parse(record.value()).sequence(),
                    header(record, "relay"),
                    record.timestamp());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
