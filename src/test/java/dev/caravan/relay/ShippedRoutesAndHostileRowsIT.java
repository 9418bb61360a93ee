package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.ReceivedSms;
import dev.caravan.lab.servers.SmsGateway;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** A whole relay with the shipped routes, and a row whose headers try to change its destination and its type. */
class ShippedRoutesAndHostileRowsIT {
    private static final String HEADERS = """
            {"CamelHttpUri": "%1$s", "camelhttpuri": "%1$s", "CamelHttpQuery": "a=1", "CamelHttpPath": "/x", "CamelHttpMethod": "GET",
             "kafka.OVERRIDE_TOPIC": "elsewhere", "KAFKA.OVERRIDE_TOPIC": "elsewhere", "kafka.PARTITION_KEY": 0, "kafka.KEY": "mine",
             "CamelFileName": "../x", "CamelSqlQuery": "delete from outbox_idempotent", "CamelMailAlternativeBody": "evil",
             "To": "evil@example.com", "Bcc": "evil@example.com", "Cc": "evil@example.com", "From": "evil@example.com",
             "Reply-To": "evil@example.com", "Subject": "evil", "Content-Type": "text/plain", "contentType": "text/plain",
             "Idempotency-Key": "mine", "ID": "mine", "Type": "booking.cancelled", "Aggregate-Id": "mine", "Outbox-Id": "99",
             "CamelOutboxFailure": "destination", "CamelOutboxDead": true, "tenant": "demo"}""";

    private static final String PAYLOAD = """
            {"bookingId": "B-1", "seq": 3, "date": "2026-05-04", "time": "19:30", "seats": 2, "price": "84.50", "currency": "EUR",
             "customer": {"name": "Guest", "phone": "+15550100001", "email": "guest1@example.com"}}""";

    private final List<ReceivedSms> texts = new CopyOnWriteArrayList<>();
    private final List<ReceivedMail> mails = new CopyOnWriteArrayList<>();

    @Test
    void the_row_is_delivered_to_where_the_routes_say_and_as_what_it_is() throws Exception {
        try (var database = TestOutbox.create();
                var other = new TestHttp(200);
                MailServer mail = MailServer.start(mails::add);
                SmsGateway gateway = SmsGateway.start(texts::add)) {
            for (String topic : List.of("orders", "bookings", "elsewhere")) {
                TestKafka.create(topic, 3);
            }
            try (Relay relay = Relay.start(database.settingsWithRoutes(Path.of("routes"), settings(mail, gateway)))) {
                String messageId = insert(database, other.url() + "/evil");

                eventually(Duration.ofSeconds(30), () -> {
                    for (String route : List.of("orders-to-kafka", "booking-sms", "customer-email")) {
                        assertThat(database.passed(route, 1)).isTrue();
                    }
                });
                assertThat(other.requests()).isEmpty();
                assertThat(texts).hasSize(1);
                assertThat(texts.get(0).to()).isEqualTo("+15550100001");
                assertThat(texts.get(0).text()).startsWith("Your booking B-1 is confirmed");
                assertThat(texts.get(0).headers().get("Idempotency-Key"))
                        .singleElement()
                        .asString()
                        .startsWith(messageId + "-");
                assertThat(texts.get(0).headers()).doesNotContainKeys("tenant", "To", "id", "kafka.KEY");
                assertThat(mails).hasSize(1);
                assertThat(mails.get(0).recipient()).isEqualTo("guest1@example.com");
                assertThat(mails.get(0).subject()).isEqualTo("Booking B-1 is confirmed");
                assertThat(mails.get(0).text()).startsWith("Hello Guest");
                assertThat(mails.get(0).headers())
                        .containsEntry("From", "bookings@example.com")
                        .doesNotContainKeys("Cc", "Bcc", "Reply-To", "tenant");
                assertThat(TestKafka.records("elsewhere")).isEmpty();
                List<ConsumerRecord<String, String>> records = TestKafka.records("bookings").stream()
                        .filter(record -> header(record, "id").equals(messageId))
                        .toList();
                assertThat(records).hasSize(1);
                assertThat(records.get(0).key()).isEqualTo("B-1");
                assertThat(header(records.get(0), "type")).isEqualTo("booking.confirmed");
                assertThat(header(records.get(0), "outbox-id")).isEqualTo("1");
                assertThat(header(records.get(0), "tenant")).isEqualTo("demo");
                assertThat(database.jdbc().queryForObject("select count(*) from outbox_dead_letter", Long.class))
                        .isZero();
            }
        }
    }

    private static String insert(TestOutbox database, String uri) {
        return database.jdbc()
                .queryForObject(
                        "insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                                + " values ('booking', 'B-1', 'booking.confirmed', ?::jsonb, ?::json) returning message_id::text",
                        String.class,
                        HEADERS.formatted(uri),
                        PAYLOAD);
    }

    private static Map<String, String> settings(MailServer mail, SmsGateway gateway) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "camel.component.kafka.brokers", TestKafka.brokers(),
                "camel.component.email.server", mail.url(),
                "camel.component.email.from", "bookings@example.com"));
        settings.putAll(Map.of(
                "camel.component.sms.url", gateway.url(),
                "camel.component.sms.user", gateway.user(),
                "camel.component.sms.password", gateway.password(),
                "camel.component.sms.from", "+15005550006"));
        return settings;
    }

    private static String header(ConsumerRecord<String, String> record, String name) {
        var values = record.headers().headers(name).iterator();
        String value = new String(values.next().value(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(values.hasNext()).isFalse();
        return value;
    }
}
