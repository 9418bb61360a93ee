package dev.caravan.crash;

import dev.caravan.demo.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;

/** The Kafka broker that all crash tests of this JVM share; each test takes a topic of its own from it. */
final class TestKafka {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private TestKafka() {}

    static String brokers() {
        return Started.BROKER.bootstrapServers();
    }

    /** Creates a topic with three partitions, for records of up to two million bytes. */
    static String newTopic() throws Exception {
        String name = "crash-" + TOPICS.incrementAndGet();
        try (Admin admin = admin()) {
            NewTopic topic = new NewTopic(name, 3, (short) 1).configs(Map.of("max.message.bytes", "2000000"));
            admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
        }
        return name;
    }

    /** Gives the disk space of a topic back. */
    static void delete(String topic) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
        }
    }

    private static Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers()));
    }

    private static final class Started {
        static final KafkaBroker BROKER = start();

        private static KafkaBroker start() {
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
