package dev.caravan.lab.demo;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads the topics of the demo from their beginning and records the arrivals. */
final class KafkaArrivals implements AutoCloseable {
    static final String ORDERS = "orders";
    static final String BOOKINGS = "bookings";

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);

    private final KafkaConsumer<String, String> consumer;
    private final List<TopicPartition> partitions;
    private final Map<String, RecordedArrivals> byTopic;
    private final Thread reader = new Thread(this::read, "demo-kafka-arrivals");
    private volatile boolean draining;

    /** The topics must exist. */
    KafkaArrivals(String bootstrapServers, Map<DemoDestination, RecordedArrivals> arrivals) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false"),
                new StringDeserializer(),
                new StringDeserializer());
        byTopic = Map.of(
                ORDERS,
                arrivals.get(DemoDestination.KAFKA_ORDERS),
                BOOKINGS,
                arrivals.get(DemoDestination.KAFKA_BOOKINGS));
        partitions = byTopic.keySet().stream()
                .flatMap(topic -> consumer.partitionsFor(topic).stream())
                .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                .toList();
        consumer.assign(partitions);
        reader.start();
    }

    /** Reads the topics to their end and stops. Call after the last message was sent. */
    @Override
    public void close() {
        draining = true;
        try {
            reader.join(DRAIN_LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (reader.isAlive()) {
            consumer.wakeup();
        }
    }

    private void read() {
        try (consumer) {
            do {
                for (var record : consumer.poll(POLL)) {
                    note(record);
                }
            } while (!(draining && atEnd()));
        }
    }

    private boolean atEnd() {
        return consumer.endOffsets(partitions).entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    private void note(ConsumerRecord<String, String> record) {
        String type = header(record, "type");
        byTopic.get(record.topic())
                .add(
                        header(record, "id"),
                        String.valueOf(record.key()),
                        "%s[%d] %s %s".formatted(record.topic(), record.partition(), record.key(), type));
    }

    private static String header(ConsumerRecord<String, String> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }
}
