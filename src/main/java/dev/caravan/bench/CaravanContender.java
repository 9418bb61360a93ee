package dev.caravan.bench;

import dev.caravan.relay.Relay;
import dev.caravan.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Caravan with one pipelined route to Kafka. */
final class CaravanContender implements Contender {
    private static final String ROUTE = """
            - route:
                id: bench
                from:
                  uri: outbox:bench
                  parameters:
                    pipelined: true
                    batchSize: %d
                  steps:
                    - choice:
                        when:
                          - expression:
                              simple: "${header.type} == 'order.cancelled'"
                            steps:
                              - to:
                                  uri: "kafka:{{bench.topic}}-cancelled"
                          - expression:
                              simple: "${header.type} == 'order.created'"
                            steps:
                              - to:
                                  uri: "kafka:{{bench.topic}}"
                        otherwise:
                          steps:
                            - to:
                                uri: "kafka:{{bench.topic}}-other"
            """;

    private final int batchSize;

    CaravanContender(int batchSize) {
        this.batchSize = batchSize;
    }

    @Override
    public String name() {
        return "caravan";
    }

    @Override
    public void drain(Outbox outbox, String brokers, String topic, int messages) throws Exception {
        Path routes = Files.createTempDirectory("caravan-bench-");
        Path route = Files.writeString(routes.resolve("bench.camel.yaml"), ROUTE.formatted(batchSize));
        Settings settings = Settings.load(
                Path.of("application.properties"),
                Map.of(
                        "caravan.db.url", outbox.url(),
                        "caravan.db.user", outbox.user(),
                        "caravan.db.password", outbox.password(),
                        "caravan.routes", routes.toString(),
                        "camel.component.kafka.brokers", brokers,
                        "bench.topic", topic));
        try (var relay = Relay.start(settings)) {
            outbox.awaitDelivered("bench", messages, 600);
        } finally {
            Files.delete(route);
            Files.delete(routes);
        }
    }
}
