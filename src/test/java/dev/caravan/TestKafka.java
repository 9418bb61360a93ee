package dev.caravan;

import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.KafkaTopics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The Kafka broker that all tests of this JVM share; each test uses its own topics. */
public final class TestKafka {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private TestKafka() {}

    /** The value of {@code bootstrap.servers} for clients. */
    public static String brokers() {
        return Started.BROKER.bootstrapServers();
    }

    /** A name that no other topic has. The broker creates the topic with its first record. */
    public static String newName() {
        return "topic-" + TOPICS.incrementAndGet();
    }

    /** Creates a topic for records of up to two million bytes and returns its name. */
    public static String newTopic(int partitions) {
        return create(newName(), partitions);
    }

    /** Creates a topic for records and batches of up to a number of bytes and returns its name. */
    public static String newTopic(int partitions, String limit) {
        String topic = newTopic(partitions);
        limit(topic, limit);
        return topic;
    }

    /** Changes the number of bytes up to which a topic accepts records and batches. */
    public static void limit(String topic, String bytes) {
        set(topic, "max.message.bytes", bytes);
    }

    /** Changes an option of a topic. */
    public static void set(String topic, String option, String value) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers()))) {
            var change = new AlterConfigOp(new ConfigEntry(option, value), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(change)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Creates a topic, unless it exists, and returns its name. Other tests may have sent to it. */
    public static String create(String name, int partitions) {
        new KafkaTopics(brokers()).create(name, partitions, Map.of("max.message.bytes", "2000000"));
        return name;
    }

    /** Deletes a topic, to free its disk space. */
    public static void delete(String topic) {
        new KafkaTopics(brokers()).delete(topic);
    }

    /** All records of a topic that stand in it now, each partition in its order, as texts. */
    public static List<ConsumerRecord<String, String>> records(String topic) {
        return records(topic, new StringDeserializer());
    }

    /** The same as bytes. */
    public static List<ConsumerRecord<byte[], byte[]>> binaryRecords(String topic) {
        return records(topic, new ByteArrayDeserializer());
    }

    private static <T> List<ConsumerRecord<T, T>> records(String topic, Deserializer<T> deserializer) {
        List<ConsumerRecord<T, T>> records = new ArrayList<>();
        new KafkaTopics(brokers()).read(topic, deserializer, records::add);
        return records;
    }

    private static final class Started {
        static final KafkaBroker BROKER = start();

        private static KafkaBroker start() {
            ServerTests.require();
            try {
                KafkaBroker broker = KafkaBroker.start();
                Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "stop-test-kafka"));
                return broker;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
