package dev.caravan.camel.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.ServerTests;
import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.KafkaTopics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Routes that share a client, one of which sends to a topic whose broker has ended. Records to it wait in the client. */
@Timeout(120)
class AbsentBrokerIT {
    private static final int KIB = 1_024;
    private static final int BUFFER = 100 * KIB;

    private static KafkaBroker broker;

    private final KafkaClients clients = new KafkaClients(AbsentBrokerIT.class.getClassLoader());

    @BeforeAll
    static void start() throws Exception {
        ServerTests.require();
        broker = KafkaBroker.start();
        try (KafkaBroker absent = broker.second();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(
                            topic("waiting", 2),
                            topic("good", 1),
                            topic("deleted", 1),
                            topic("small", 1).configs(Map.of("max.message.bytes", "10000"))))
                    .all()
                    .get();
        }
    }

    private static NewTopic topic(String name, int broker) {
        return new NewTopic(name, Map.of(0, List.of(broker)));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void a_topic_that_fails_does_not_slow_another() throws Exception {
        try (Producer<Object, Object> waiting = producer();
                Producer<Object, Object> deleted = producer();
                Producer<Object, Object> small = producer();
                Producer<Object, Object> good = producer()) {
            deleted.send(record("deleted", KIB)).get();
            new KafkaTopics(broker.bootstrapServers()).delete("deleted");
            Future<RecordMetadata> last = fill(waiting);

            long slowest = 0;
            for (int i = 0; i < 50; i++) {
                deleted.send(record("deleted", KIB));
                Future<RecordMetadata> refused = small.send(record("small", 20 * KIB));
                long start = System.nanoTime();
                good.send(record("good", KIB)).get();
                slowest = Math.max(slowest, System.nanoTime() - start);
                assertThatThrownBy(refused::get).hasCauseInstanceOf(RecordTooLargeException.class);
            }

            assertThat(last).isNotDone();
            assertThat(Duration.ofNanos(slowest)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void a_route_that_has_filled_its_buffer_fails_after_the_longest_wait() throws Exception {
        try (Producer<Object, Object> waiting = producer();
                Producer<Object, Object> good = producer()) {
            Future<RecordMetadata> last = fill(waiting);

            assertThatThrownBy(waiting.send(record("waiting", 8 * KIB))::get)
                    .hasCauseInstanceOf(BufferExhaustedException.class);
            assertThatThrownBy(last::get).hasCauseInstanceOf(TimeoutException.class);
            good.send(record("good", BUFFER + KIB)).get(); // a larger record goes alone
        }
    }

    @Test
    void a_route_that_stops_waits_for_its_own_records_only() throws Exception {
        Producer<Object, Object> waiting = producer();
        Future<RecordMetadata> last = fill(waiting);
        for (int i = 0; i < 20; i++) {
            Producer<Object, Object> stopped = producer();
            Future<RecordMetadata> own = stopped.send(record("good", KIB));
            stopped.close();

            assertThat(own).isDone();
            assertThatThrownBy(() -> stopped.send(record("good", KIB))).isInstanceOf(IllegalStateException.class);
        }
        assertThat(last).isNotDone();

        waiting.close();

        assertThat(last).isDone();
    }

    /** Sends as many records as the buffer takes. */
    private static Future<RecordMetadata> fill(Producer<Object, Object> producer) {
        Future<RecordMetadata> last = null;
        for (int i = 0; i < BUFFER / (2 * KIB); i++) {
            last = producer.send(record("waiting", 2 * KIB - 200));
        }
        return last;
    }

    private Producer<Object, Object> producer() {
        Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 20_000);
        return clients.getProducer(settings);
    }

    /** Without a key: otherwise the first one goes alone. */
    private static ProducerRecord<Object, Object> record(String topic, int bytes) {
        return new ProducerRecord<>(topic, "x".repeat(bytes));
    }
}
