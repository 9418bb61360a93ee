package dev.caravan.lab.demo;

import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.PostgresServer;
import dev.caravan.lab.servers.SmsGateway;
import dev.caravan.lab.servers.mail.MailServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The servers of the demo besides the relay (database, broker, mail server, SMS gateway) and the recorded arrivals. */
final class DemoServers implements AutoCloseable {
    private static final int PARTITIONS = 3;

    private final Map<DemoDestination, RecordedArrivals> arrivals = new EnumMap<>(DemoDestination.class);
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Map<String, String> settings = new HashMap<>();
    private final Consumer<String> progress;
    private DataSource database;
    private KafkaArrivals kafkaArrivals;

    private DemoServers(Consumer<String> progress) {
        this.progress = progress;
        for (DemoDestination destination : DemoDestination.values()) {
            arrivals.put(destination, new RecordedArrivals());
        }
    }

    /** Starts all servers, which takes some seconds. When one cannot start, the others are stopped. */
    static DemoServers start(Consumer<String> progress) throws IOException, SQLException {
        var servers = new DemoServers(progress);
        try {
            servers.startPostgres();
            servers.startKafka();
            servers.startMail();
            servers.startGateway();
            return servers;
        } catch (IOException | SQLException | RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    /** The settings with which the relay reaches these servers. */
    Map<String, String> settings() {
        return Map.copyOf(settings);
    }

    DataSource database() {
        return database;
    }

    Map<DemoDestination, RecordedArrivals> arrivals() {
        return Collections.unmodifiableMap(arrivals);
    }

    /** Reads Kafka to the end. Call when the relay has stopped. */
    void finishReading() {
        kafkaArrivals.close();
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                progress.accept("A server of the demo did not stop: " + e.getMessage());
            }
        }
    }

    private void startPostgres() throws IOException, SQLException {
        progress.accept("Starting Postgres ...");
        var postgres = PostgresServer.startUntilClosed();
        started.push(postgres);
        String name = postgres.createDatabase();
        database = postgres.dataSource(name);
        settings.put("caravan.db.url", postgres.url(name));
        settings.put("caravan.db.user", postgres.user());
        settings.put("caravan.db.password", postgres.password());
        settings.put("caravan.schema.auto", "true");
        progress.accept("Postgres       " + postgres.url(name) + " (user " + postgres.user() + ", password "
                + postgres.password() + ")");
    }

    private void startKafka() throws IOException {
        progress.accept("Starting Kafka ...");
        var kafka = KafkaBroker.start();
        started.push(kafka);
        kafka.createTopic(KafkaArrivals.ORDERS, PARTITIONS);
        kafka.createTopic(KafkaArrivals.BOOKINGS, PARTITIONS);
        kafkaArrivals = new KafkaArrivals(kafka.bootstrapServers(), arrivals);
        started.push(kafkaArrivals);
        settings.put("camel.component.kafka.brokers", kafka.bootstrapServers());
        settings.put("camel.component.kafka.securityProtocol", "PLAINTEXT");
        progress.accept("Kafka          " + kafka.bootstrapServers());
    }

    private void startMail() {
        RecordedArrivals emails = arrivals.get(DemoDestination.EMAIL);
        var mail = MailServer.start(received -> emails.add(
                messageId(received.messageIdLocalPart()),
                received.recipient(),
                "to %s: %s".formatted(received.recipient(), received.subject())));
        started.push(mail);
        settings.put("camel.component.email.server", mail.url());
        settings.put("camel.component.email.user", "");
        settings.put("camel.component.email.password", "");
        progress.accept("Mail server    " + mail.url());
    }

    private void startGateway() throws IOException {
        RecordedArrivals messages = arrivals.get(DemoDestination.SMS);
        var gateway = SmsGateway.start(sms -> messages.add(
                messageId(sms.header("Idempotency-Key")), sms.to(), "to %s: %s".formatted(sms.to(), sms.text())));
        started.push(gateway);
        settings.put("camel.component.sms.url", gateway.url());
        settings.put("camel.component.sms.user", gateway.user());
        settings.put("camel.component.sms.password", gateway.password());
        progress.accept("SMS gateway    " + gateway.url());
    }

    /** The message id in the id of a send. */
    private static String messageId(String send) {
        return send.substring(0, 36);
    }
}
