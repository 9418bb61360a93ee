package dev.caravan.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Everything that takes part: Postgres, Kafka, an HTTP destination, two relays, and the proxies between them. */
final class Stage implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final int PARTITIONS = 3;
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration SLOW_ANSWER = Duration.ofMillis(2L * Routes.RESPONSE_TIMEOUT_MILLIS);

    private final TorturedOutbox outbox = new TorturedOutbox();
    private final StoppableKafka kafka = StoppableKafka.startNew();
    private final HttpReceiver http = HttpReceiver.start(SLOW_ANSWER);
    private final TcpProxy httpProxy = TcpProxy.to(http.port());
    private final List<RelaySlot> relays;

    /**
     * Returns when both relays run.
     *
     * @param work an empty folder for routes and logs
     * @param shippedRoutes the folder of the shipped routes
     */
    Stage(Path work, Path shippedRoutes) throws Exception {
        kafka.createTopic(Routes.TOPIC, PARTITIONS);
        Path routes = Files.createDirectories(work.resolve("routes"));
        Routes.write(routes, shippedRoutes, httpProxy.port());
        Map<String, String> settings = Map.of(
                "caravan.routes",
                routes.toString(),
                "camel.component.kafka.brokers",
                kafka.proxiedBrokers(),
                "camel.component.outbox.leaseDuration",
                LEASE.toMillis() + "ms",
                "caravan.db.connectTimeoutMillis",
                "2000",
                "caravan.db.socketTimeoutSeconds",
                "4");
        relays = List.of(
                new RelaySlot("relay-1", work, outbox, settings), new RelaySlot("relay-2", work, outbox, settings));
        for (RelaySlot relay : relays) {
            relay.start();
        }
        for (RelaySlot relay : relays) {
            relay.awaitStarted();
        }
        Await.until("both subscriptions exist", START_LIMIT, () -> outbox.subscriptions() == 2);
    }

    TorturedOutbox outbox() {
        return outbox;
    }

    StoppableKafka kafka() {
        return kafka;
    }

    HttpReceiver http() {
        return http;
    }

    TcpProxy httpProxy() {
        return httpProxy;
    }

    List<RelaySlot> relays() {
        return relays;
    }

    /** Everything that arrived at Kafka. */
    List<Arrival> kafkaArrivals() {
        return KafkaReceiver.all(kafka.brokers(), Routes.TOPIC, PARTITIONS);
    }

    @Override
    public void close() throws IOException {
        for (RelaySlot relay : relays) {
            relay.close();
        }
        httpProxy.close();
        http.close();
        kafka.close();
        outbox.close();
    }
}
