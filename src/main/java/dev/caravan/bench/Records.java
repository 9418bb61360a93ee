package dev.caravan.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic back and checks that every message arrived once and in order of its key. */
final class Records {
    private final long[] times;
    private final Map<String, Long> lastOfKey = new HashMap<>();

    private Records(int expected) {
        times = new long[expected];
    }

    /**
     * @param expected how many messages were to arrive, with payloads numbered from 1
     * @return the times of the records in milliseconds, sorted
     * @throws IllegalStateException if one is missing, came twice or out of order
     */
    static long[] check(String brokers, String topic, int expected) {
        Records records = new Records(expected);
        int seen = 0;
        try (var consumer = consumer(brokers)) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(p -> new TopicPartition(topic, p.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long total = consumer.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            if (total != expected) {
                throw new IllegalStateException(total + " records arrived in " + topic + ", expected " + expected);
            }
            while (seen < expected) {
                for (var record : consumer.poll(Duration.ofSeconds(10))) {
                    records.see(record, seen++);
                }
            }
        }
        Arrays.sort(records.times);
        return records.times;
    }

    private void see(ConsumerRecord<byte[], byte[]> record, int index) {
        times[index] = record.timestamp();
        String key = new String(record.key(), StandardCharsets.UTF_8);
        String value = new String(record.value(), StandardCharsets.UTF_8);
        long number = Long.parseLong(value.substring(value.indexOf(':') + 1, value.indexOf(',')));
        Long before = lastOfKey.put(key, number);
        if (before != null && before >= number) {
            throw new IllegalStateException("Message " + number + " of key " + key + " arrived after " + before);
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String brokers) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }
}
