package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.camel.kafka.KafkaClients;
import dev.caravan.camel.step.OutboxDelivery;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.camel.component.kafka.KafkaProducer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backlog for topics that the broker creates when the relay first sends to them. */
class NewTopicIT {
    private static final int COUNT = 3_000;
    private static final int RUNS = Integer.getInteger("new-topic.runs", 3);
    private static final String ROUTE = """
            - route:
                id: %1$s
                from:
                  uri: outbox:%1$s
                  parameters:
                    pipelined: true
                  steps:
                    - to:
                        uri: "kafka:%1$s"
            """;

    @TempDir
    private Path routes;

    @Test
    void the_producers_are_those_of_caravan() throws Exception {
        usesProducersOfCaravan("kafka:orders", "camel.component.kafka.brokers");
    }

    @Tag("long")
    @Test
    void the_producers_are_those_of_caravan_also_if_a_route_names_the_brokers() throws Exception {
        usesProducersOfCaravan("kafka:orders?brokers=localhost:1", "camel.main.name");
    }

    private void usesProducersOfCaravan(String uri, String setting) throws Exception {
        Files.writeString(
                routes.resolve("route.camel.yaml"), ROUTE.formatted("orders").replace("kafka:orders", uri));
        try (TestOutbox database = TestOutbox.create();
                Relay relay = Relay.start(database.settingsWithRoutes(routes, Map.of(setting, "localhost:1")))) {
            var endpoint = relay.context().getEndpoint(uri);
            KafkaProducer own = (KafkaProducer) ((OutboxDelivery) endpoint).createDelivery();
            assertThat(own.getEndpoint().getKafkaClientFactory()).isInstanceOf(KafkaClients.class);
        }
    }

    @Tag("long")
    @Test
    void the_backlog_arrives_once_and_in_order() throws Exception {
        Map<String, String> brokers = Map.of("camel.component.kafka.brokers", TestKafka.brokers());
        TestOutbox database = TestOutbox.create();
        database.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                + " select 'order', (n % 97)::text, 'order.created', to_jsonb(n) from generate_series(1, ?) n",
                        COUNT);
        for (int run = 0; run < RUNS; run++) {
            String topic = TestKafka.newName();
            Files.writeString(routes.resolve("route.camel.yaml"), ROUTE.formatted(topic));
            try (Relay ignored = Relay.start(database.settingsWithRoutes(routes, brokers))) {
                eventually(Duration.ofSeconds(60), () -> assertThat(database.passed(topic, COUNT))
                        .isTrue());
            }
            assertOnceAndInOrder(topic);
        }
    }

    private static void assertOnceAndInOrder(String topic) {
        Map<String, List<Integer>> byKey = TestKafka.records(topic).stream()
                .collect(Collectors.groupingBy(
                        ConsumerRecord::key,
                        Collectors.mapping(each -> Integer.valueOf(each.value()), Collectors.toList())));
        assertThat(byKey.values().stream().mapToInt(List::size).sum()).isEqualTo(COUNT);
        assertThat(byKey.values())
                .allSatisfy(numbers -> assertThat(numbers).isSorted().doesNotHaveDuplicates());
    }
}
