package dev.caravan;

import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.KafkaTopics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

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
