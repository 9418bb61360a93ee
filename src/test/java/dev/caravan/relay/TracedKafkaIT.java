package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.relay.Collector.Sent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay that traces, with a real Kafka producer, which answers for many messages at once on a separate thread. */
@Tag("long")
class TracedKafkaIT {
    private static final int COUNT = 1_500;
    private static final String ROUTE = """
            - route:
                id: orders-to-kafka
                from:
                  uri: outbox:orders-to-kafka
                  parameters:
                    %s: true
                  steps:
                    - to:
                        uri: "kafka:%s?brokers=%s"
            """;

    @TempDir
    private Path routes;

    @ParameterizedTest
    @ValueSource(strings = {"pipelined", "batching"})
    void each_record_carries_the_span_of_its_own_attempt(String way) throws Exception {
        try (TestOutbox database = TestOutbox.create();
                Collector collector = new Collector(0)) {
            String topic = TestKafka.newTopic(1);
            Files.writeString(routes.resolve("orders.camel.yaml"), ROUTE.formatted(way, topic, TestKafka.brokers()));
            try (Relay relay = Relay.start(database.settingsWithRoutes(routes, collector.settings()))) {
                database.jdbc()
                        .update(
                                "insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                                        + " select 'order', (n % 50)::text, 'order.created', jsonb_build_object('traceparent',"
                                        + " '00-' || lpad(to_hex(n), 32, '0') || '-' || lpad(to_hex(n), 16, '0') || '-01'), '{}'"
                                        + " from generate_series(1, ?) n",
                                COUNT);

                eventually(Duration.ofSeconds(60), () -> assertThat(collector.spans())
                        .hasSize(COUNT));
                Map<String, Sent> spans = collector.spans().stream()
                        .collect(Collectors.toMap(
                                sent -> sent.attributes().get("messaging.message.id"), Function.identity()));
                var records = TestKafka.records(topic);
                assertThat(records).hasSize(COUNT);
                records.forEach(each -> {
                    Sent sent = spans.get(header(each, "id"));
                    assertThat(header(each, "traceparent")).isEqualTo(sent.traceparent());
                    assertThat(sent.traceId()).isEqualTo("%032x".formatted(sent.position()));
                    assertThat(sent.parentId()).isEqualTo("%016x".formatted(sent.position()));
                });
            }
        }
    }

    private static String header(ConsumerRecord<String, String> found, String name) {
        return new String(found.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
