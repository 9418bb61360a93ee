package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.lab.servers.KafkaBroker;
import java.time.Duration;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How the shipped error handling classifies the exceptions of a real Kafka producer. */
class KafkaPolicyIT {
    private final WrittenLog log = WrittenLog.of(AttemptLog.class);

    @AfterEach
    void stopListening() {
        log.close();
    }

    @Test
    void a_record_that_is_too_large_is_dead_and_an_unavailable_broker_is_waited_for() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                KafkaBroker broker = KafkaBroker.start()) {
            broker.createTopic("events", 1);
            try (TestRelay relay = start(outbox, broker.bootstrapServers())) {
                outbox.insert("a");
                long large = outbox.insert("a", "order.created", "\"" + "x".repeat(2 << 20) + "\"");
                long last = outbox.insert("a");

                eventually(() -> {
                    assertThat(outbox.dead("orders")).containsExactly(large);
                    assertThat(outbox.passed("orders", last)).isTrue();
                    assertThat(outbox.waiting("orders")).isEmpty();
                });
                assertThat(outbox.jdbc().queryForObject("select error_class from outbox_dead_letter", String.class))
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

    private static TestRelay start(TestOutbox outbox, String brokers) throws Exception {
        return TestRelay.startAsShipped(outbox.pool(), new RouteBuilder() {
            @Override
            public void configure() {
                from("outbox:orders?pipelined=true")
                        .to("kafka:events?brokers=" + brokers
                                + "&requestTimeoutMs=1000&deliveryTimeoutMs=2000&lingerMs=0&maxBlockMs=2000");
            }
        });
    }
}
