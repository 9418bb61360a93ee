package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Request;
import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.ReceivedSms;
import dev.caravan.lab.servers.SmsGateway;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Binary messages through a whole relay: its shipped routes, and a route to Kafka and one to HTTP without options, as people write them. */
class BinaryPayloadsIT {
    private static final List<byte[]> PAYLOADS =
            List.of(eachByte(), new byte[0], random(900_000), new byte[] {-61, 40});

    private final TestHttp receiver = new TestHttp(200);
    private final List<ReceivedSms> texts = new CopyOnWriteArrayList<>();
    private final List<ReceivedMail> mails = new CopyOnWriteArrayList<>();

    @Test
    void kafka_and_http_receive_the_bytes_and_routes_for_json_make_dead_letters(@TempDir Path folder) throws Exception {
        String topic = TestKafka.newTopic(1);
        String topicOfNumbers = TestKafka.newTopic(1);
        copyShippedRoutes(folder);
        writeRoute(folder, "raw-to-kafka", "raw.*", "kafka:" + topic);
        Files.writeString(folder.resolve("number.camel.yaml"), """
                - route:
                    id: number-to-kafka
                    from:
                      uri: outbox:number-to-kafka
                      parameters:
                        types: "number"
                      steps:
                        - setBody:
                            expression:
                              jsonpath:
                                expression: "$.n"
                        - to:
                            uri: kafka:%s
                """.formatted(topicOfNumbers));
        writeRoute(folder, "raw-to-http", "raw.*", receiver.url() + "/raw");
        try (var database = TestOutbox.create();
                MailServer mail = MailServer.start(mails::add);
                SmsGateway gateway = SmsGateway.start(texts::add)) {
            TestKafka.create("orders", 3);
            TestKafka.create("bookings", 3);
            for (byte[] payload : PAYLOADS) {
                insert(database, "raw.stored", null, payload);
            }
            insert(database, "raw.stored", "{\"content-type\": \"application/x-protobuf\"}", new byte[] {9});
            database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                    + " values ('raw', 'a', 'raw.stored', '{\"city\": \"Köln\"}'), ('raw', 'a', 'raw.deleted', null)");
            insert(database, "booking.confirmed", null, eachByte());
            database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                    + " values ('raw', 'a', 'number', '{\"n\": 5}')");

            try (Relay relay = Relay.start(database.settingsWithRoutes(folder, settings(mail, gateway)))) {
                eventually(Duration.ofSeconds(30), () -> {
                    for (String route : List.of(
                            "raw-to-kafka",
                            "raw-to-http",
                            "number-to-kafka",
                            "orders-to-kafka",
                            "booking-sms",
                            "customer-email")) {
                        assertThat(database.passed(route, 9)).as(route).isTrue();
                    }
                });
            }

            assertThat(values(topicOfNumbers)).containsExactly(new byte[] {'5'});
            assertThat(values(topic))
                    .containsExactly(
                            PAYLOADS.get(0),
                            PAYLOADS.get(1),
                            PAYLOADS.get(2),
                            PAYLOADS.get(3),
                            new byte[] {9},
                            "{\"city\": \"Köln\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                            null);
            Map<String, Request> requests = receiver.requests().stream()
                    .collect(Collectors.toMap(each -> each.header("outbox-id"), Function.identity()));
            for (int n = 0; n < PAYLOADS.size(); n++) {
                Request request = requests.get(Integer.toString(n + 1));
                assertThat(request.body()).isEqualTo(PAYLOADS.get(n));
                assertThat(request.header("Content-Type"))
                        .isEqualTo(PAYLOADS.get(n).length == 0 ? null : "application/octet-stream");
                assertThat(request.header("Content-Length")).isEqualTo(Integer.toString(PAYLOADS.get(n).length));
            }
            assertThat(requests.get("5").header("Content-Type")).isEqualTo("application/x-protobuf");
            assertThat(requests.get("5").body()).containsExactly(9);
            assertThat(requests.get("6").header("Content-Type")).isNull();
            assertThat(texts).isEmpty();
            assertThat(mails).isEmpty();
            assertThat(database.jdbc()
                            .queryForList(
                                    "select subscription || id || ' ' || left(error_text, 59) from outbox_dead_letter order by 1",
                                    String.class))
                    .containsExactly(
                            "booking-sms8 The payload is binary, but a step of the route expects JSON",
                            "customer-email8 The payload is binary, but a step of the route expects JSON");
            assertThat(database.jdbc().queryForList("select payload_bytes from outbox_dead_letter", byte[].class))
                    .containsExactly(eachByte(), eachByte());
        }
    }

    private static void writeRoute(Path folder, String id, String types, String uri) throws Exception {
        Files.writeString(folder.resolve(id + ".camel.yaml"), """
                - route:
                    id: %1$s
                    from:
                      uri: outbox:%1$s
                      parameters:
                        types: "%2$s"
                      steps:
                        - to:
                            uri: %3$s
                """.formatted(id, types, uri));
    }

    private static void copyShippedRoutes(Path folder) throws Exception {
        Path routes = Path.of("routes");
        try (var files = Files.walk(routes)) {
            for (Path file : files.skip(1).toList()) { // without the folder itself
                Files.copy(file, folder.resolve(routes.relativize(file)));
            }
        }
    }

    private static void insert(TestOutbox database, String type, String headers, byte[] payload) {
        database.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, headers, payload_bytes)"
                                + " values ('raw', 'a', ?, ?::jsonb, ?)",
                        type,
                        headers,
                        payload);
    }

    private static Map<String, String> settings(MailServer mail, SmsGateway gateway) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "camel.component.kafka.brokers", TestKafka.brokers(), "camel.component.email.server", mail.url()));
        settings.putAll(Map.of(
                "camel.component.sms.url", gateway.url(),
                "camel.component.sms.user", gateway.user(),
                "camel.component.sms.password", gateway.password()));
        return settings;
    }

    private static List<byte[]> values(String topic) {
        return TestKafka.binaryRecords(topic).stream()
                .map(ConsumerRecord::value)
                .toList();
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private static byte[] eachByte() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }
}
