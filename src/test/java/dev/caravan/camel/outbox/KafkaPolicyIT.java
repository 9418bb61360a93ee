package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.camel.kafka.KafkaClients;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.lab.servers.KafkaBroker;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** How the shipped error handling classifies the exceptions of a real Kafka producer. */
class KafkaPolicyIT {
    private final TestOutbox outbox = TestOutbox.create();
    private final WrittenLog log = WrittenLog.of(AttemptLog.class);

    @Test
    void a_record_that_is_too_large_is_dead_and_an_unavailable_broker_is_waited_for() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            broker.createTopic("events", 1);
            try (TestRelay relay = start(broker.bootstrapServers())) {
                outbox.insert("a");
                long large = outbox.insert("a", "order.created", "\"" + "x".repeat(2 << 20) + "\"");
                long last = outbox.insert("a");

                eventually(() -> {
                    assertThat(outbox.dead("orders")).containsExactly(large);
                    assertThat(outbox.passed("orders", last)).isTrue();
                    assertThat(outbox.waiting("orders")).isEmpty();
                });
                assertThat(outbox.text("select error_class from outbox_dead_letter"))
                        .isEqualTo("org.apache.kafka.common.errors.RecordTooLargeException");

                broker.close();
                outbox.insertMany(50, 10);
                eventually(Duration.ofSeconds(60), () -> assertThat(log.lines())
                        .anyMatch(line -> line.contains("The destination of orders is unavailable")));
                assertThat(outbox.waiting("orders")).isEmpty();
                assertThat(outbox.dead("orders")).containsExactly(large);
            }
        }
    }

    private TestRelay start(String brokers) throws Exception {
        return TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders?pipelined=true")
                .to("kafka:events?brokers=" + brokers
                        + "&requestTimeoutMs=1000&deliveryTimeoutMs=2000&lingerMs=0&maxBlockMs=2000"));
    }

    @Test
    void brokers_that_accept_no_connection_are_named_at_the_start() throws Exception {
        KafkaClients clients = new KafkaClients(KafkaPolicyIT.class.getClassLoader());
        try (ServerSocket open = new ServerSocket(0);
                WrittenLog log = WrittenLog.of("dev.caravan.camel.kafka.ReachedBrokers")) {
            int closed = FreePorts.one();
            for (String brokers :
                    List.of("localhost:" + closed + ",127.0.0.1:" + open.getLocalPort(), "localhost:" + closed)) {
                clients.getProducer(settings(brokers)).close(Duration.ZERO);
                clients.getProducer(settings(brokers)).close(Duration.ZERO);
            }

            eventually(() -> assertThat(log.lines())
                    .containsExactly("No Kafka broker of localhost:" + closed
                            + " accepts a connection: ConnectException (Connection refused). Messages for it wait, and are delivered when"
                            + " it answers"));
        }
    }

    private static Properties settings(String brokers) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", brokers);
        settings.put("key.serializer", StringSerializer.class);
        settings.put("value.serializer", StringSerializer.class);
        return settings;
    }
}
