package dev.caravan.crash;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.caravan.TestKafka;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The receiving side: reads a topic from its beginning while records arrive, and records which relay sent what. */
final class Received implements AutoCloseable {
    private static final JsonFactory JSON = new JsonFactory();

    /**
     * One record; those of a key are in the order of the log.
     *
     * @param relay the relay that sent it
     * @param startedMillis when its attempt started
     */
    record Arrival(String messageId, String key, long sequence, String relay, int bytes, long startedMillis) {}

    private final String topic;
    private final List<TopicPartition> partitions;
    private final Map<TopicPartition, Long> read = new ConcurrentHashMap<>();
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Set<String> messageIds = new HashSet<>();
    private final Map<String, Integer> byRelay = new ConcurrentHashMap<>();
    private final Thread reader = new Thread(this::readAll, "received");
    private volatile boolean closed;

    private Received(String topic) {
        this.topic = topic;
        try (var consumer = consumer()) {
            partitions = consumer.partitionsFor(topic).stream()
                    .map(p -> new TopicPartition(topic, p.partition()))
                    .toList();
        }
    }

    static Received from(String topic) {
        Received received = new Received(topic);
        received.reader.start();
        return received;
    }

    String topic() {
        return topic;
    }

    private void readAll() {
        try (var consumer = consumer()) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!closed) {
                consumer.poll(Duration.ofMillis(20)).forEach(this::add);
                partitions.forEach(partition -> read.put(partition, consumer.position(partition)));
            }
        }
    }

    private synchronized void add(ConsumerRecord<byte[], byte[]> record) {
        Arrival arrival = arrival(record);
        arrivals.add(arrival);
        messageIds.add(arrival.messageId());
        byRelay.merge(arrival.relay(), 1, Integer::sum);
    }

    private static Arrival arrival(ConsumerRecord<byte[], byte[]> record) {
        try {
            return new Arrival(
                    header(record, "id"),
                    new String(record.key(), StandardCharsets.UTF_8),
                    sequence(record.value()),
                    header(record, "relay"),
                    record.value().length,
                    record.timestamp());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first number of a payload, which may be a megabyte. */
    private static long sequence(byte[] payload) throws IOException {
        try (JsonParser parser = JSON.createParser(payload)) {
            while (parser.nextToken() != JsonToken.VALUE_NUMBER_INT) {
                if (!parser.hasCurrentToken()) {
                    throw new IOException("A payload without a sequence number arrived");
                }
            }
            return parser.getLongValue();
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    /** The number of different messages that have arrived. */
    synchronized int messages() {
        return messageIds.size();
    }

    /** The number of records that a relay has sent. */
    int sentBy(String relay) {
        return byRelay.getOrDefault(relay, 0);
    }

    void awaitSentBy(RelayProcess relay, int records) throws Exception {
        Await.until(relay.name() + " has sent " + records + " records", Duration.ofMinutes(3), () -> {
            relay.requireAlive();
            return sentBy(relay.name()) >= records;
        });
    }

    /** Every record of the topic so far. */
    List<Arrival> all() throws Exception {
        Map<TopicPartition, Long> ends;
        try (var consumer = consumer()) {
            ends = consumer.endOffsets(partitions);
        }
        Await.until("the topic is read to its end", Duration.ofSeconds(180), () -> ends.entrySet().stream()
                .allMatch(end -> read.getOrDefault(end.getKey(), 0L) >= end.getValue()));
        synchronized (this) {
            return List.copyOf(arrivals);
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, TestKafka.brokers(),
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    @Override
    public void close() {
        closed = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
