package dev.caravan;

import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.KafkaTopics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

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
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers()))) {
            var limit = new AlterConfigOp(new ConfigEntry("max.message.bytes", bytes), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(limit)))
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
