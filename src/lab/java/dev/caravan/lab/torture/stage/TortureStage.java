package dev.caravan.lab.torture.stage;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.FailoverPostgres;
import dev.caravan.lab.servers.StoppableKafka;
import dev.caravan.lab.torture.receiver.Arrival;
import dev.caravan.lab.torture.receiver.ChaosReceiver;
import dev.caravan.lab.torture.receiver.HttpReceiver;
import dev.caravan.lab.torture.receiver.KafkaReceiver;
import dev.caravan.lab.torture.receiver.MailReceiver;
import dev.caravan.lab.torture.stage.TortureDestination.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** All servers of a run: Postgres, the destinations, two relays, and the proxies between them. */
public final class TortureStage implements AutoCloseable {
    public static final Duration LEASE = Duration.ofSeconds(2);

    private static final int PARTITIONS = 3;
    /** Megabytes for the lanes of the usual run, and for each lane more: see docs/sizing.md. */
    private static final int HEAP = 256;

    private static final int HEAP_OF_LANE = 16;
    private static final int FEW_LANES = 11;
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration SLOW_ANSWER = Duration.ofMillis(2L * TortureRoutes.RESPONSE_TIMEOUT_MILLIS);

    private final List<TortureDestination> destinations;
    private final TorturedOutbox outbox;
    private final StoppableKafka kafka;
    private final HttpReceiver http = HttpReceiver.start(SLOW_ANSWER);
    private final Network httpNetwork = Network.to(List.of(http.port()));
    private final ChaosReceiver chaos = ChaosReceiver.start();
    private final MailReceiver mail = new MailReceiver();
    private final Network mailNetwork = Network.to(List.of(mail.port()));
    private final List<RelaySlot> relays;

    /**
     * Returns when both relays run.
     *
     * @param work an empty folder for data, routes and logs
     * @param subscriptions the number of subscriptions
     */
    public TortureStage(Path work, FailoverPostgres.Replication replication, int subscriptions) throws Exception {
        destinations = TortureDestination.first(subscriptions);
        outbox = new TorturedOutbox(work.resolve("postgres"), replication);
        kafka = StoppableKafka.startNew(Files.createDirectories(work.resolve("kafka")));
        for (TortureDestination destination : destinations) {
            if (destination.server() == Server.KAFKA && destination != TortureDestination.LATE_TOPIC) {
                createTopic(destination);
            }
        }
        Path routes = Files.createDirectories(work.resolve("routes"));
        TortureRoutes.write(
                routes,
                destinations,
                httpNetwork.ports().get(0),
                mailNetwork.ports().get(0),
                chaos.port());
        Map<String, String> settings = Map.of(
                "caravan.routes",
                routes.toString(),
                "camel.component.kafka.brokers",
                kafka.proxiedBrokers(),
                "camel.component.outbox.leaseDuration",
                LEASE.toMillis() + "ms");
        int lanes = destinations.stream().mapToInt(TortureDestination::lanes).sum();
        String heap = "-Xmx" + (HEAP + HEAP_OF_LANE * Math.max(0, lanes - FEW_LANES)) + "m";
        relays = List.of(
                new RelaySlot("relay-1", work, outbox, settings, heap),
                new RelaySlot("relay-2", work, outbox, settings, heap));
        for (RelaySlot relay : relays) {
            relay.start();
        }
        for (RelaySlot relay : relays) {
            relay.awaitStarted();
        }
        Await.until("all subscriptions exist", START_LIMIT, () -> outbox.lanes() == lanes);
    }

    public List<TortureDestination> destinations() {
        return destinations;
    }

    public TorturedOutbox outbox() {
        return outbox;
    }

    public StoppableKafka kafka() {
        return kafka;
    }

    public HttpReceiver http() {
        return http;
    }

    public Network httpNetwork() {
        return httpNetwork;
    }

    public ChaosReceiver chaos() {
        return chaos;
    }

    public MailReceiver mail() {
        return mail;
    }

    public Network mailNetwork() {
        return mailNetwork;
    }

    public List<RelaySlot> relays() {
        return relays;
    }

    /** Creates the topic of a destination unless it exists. */
    public void createTopic(TortureDestination destination) throws Exception {
        kafka.createTopic(destination.subscription(), PARTITIONS);
    }

    /** Everything that arrived, repeats included. */
    public List<Arrival> arrivals(TortureDestination destination) {
        return switch (destination.server()) {
            case KAFKA -> KafkaReceiver.all(kafka.brokers(), destination.subscription());
            case HTTP -> http.all(destination.subscription());
            case MAIL -> mail.all();
            case CHAOS -> chaos.all();
        };
    }

    @Override
    public void close() throws IOException {
        for (RelaySlot relay : relays) {
            relay.close();
        }
        httpNetwork.close();
        http.close();
        chaos.close();
        mailNetwork.close();
        mail.close();
        kafka.close();
        outbox.close();
    }
}
