package dev.caravan.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestKafka;
import dev.caravan.TestPostgres;
import dev.caravan.WrittenLog;
import dev.caravan.base.settings.Settings;
import dev.caravan.lab.servers.ReceivedSms;
import dev.caravan.lab.servers.SmsGateway;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import jakarta.mail.AuthenticationFailedException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.CamelContext;
import org.apache.camel.CamelExecutionException;
import org.apache.camel.Exchange;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.processor.errorhandler.DefaultErrorHandler;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The shipped routes against real servers; tests give them messages in place of the outbox. {@code ShippedRoutesTest} tests what they
 * send, without servers.
 */
class ShippedRoutesIT {
    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private static final String PAYLOAD = """
            {"bookingId": "B-1", "seq": 3, "date": "2026-05-04", "time": "19:30", "seats": 2, "price": "84.50", "currency": "EUR",
             "customer": {"name": "Guest <1> & family", "phone": "+15550100001", "email": "guest1@example.com"}}""";

    private static final List<ReceivedSms> SMS = new CopyOnWriteArrayList<>();
    private static final List<ReceivedMail> MAILS = new CopyOnWriteArrayList<>();

    private static HikariDataSource database;
    private static MailServer mail;
    private static SmsGateway gateway;

    private CamelContext camel;

    @BeforeAll
    static void startServers() throws Exception {
        database = TestPostgres.server().pool(TestPostgres.databaseWithTables());
        TestKafka.create("orders", 3);
        TestKafka.create("bookings", 3);
        mail = MailServer.start(MAILS::add);
        gateway = SmsGateway.start(SMS::add);
    }

    @AfterAll
    static void stopServers() throws Exception {
        gateway.close();
        mail.close();
        database.close();
    }

    @BeforeEach
    void startRoutes() throws Exception {
        SMS.clear();
        MAILS.clear();
        camel = context(Map.of());
    }

    @AfterEach
    void stopRoutes() {
        camel.stop();
    }

    @Test
    void orders_and_bookings_go_to_their_topics_with_key_and_message_id() {
        UUID order = deliver("orders-to-kafka", "order.placed");
        UUID booking = deliver("orders-to-kafka", "booking.requested");

        assertThat(firstRecord("orders", order).key()).isEqualTo("B-1");
        var record = firstRecord("bookings", booking);
        assertThat(record.value()).isEqualTo(PAYLOAD);
        assertThat(header(record, "type")).isEqualTo("booking.requested");
        assertThat(header(record, "aggregate-id")).isEqualTo("B-1");
        assertThat(header(record, "traceparent")).isEqualTo(TRACE);
    }

    @Tag("long")
    @Test
    void a_confirmed_booking_is_announced_by_sms_with_its_message_id() {
        UUID id = deliver("booking-sms", "booking.confirmed");

        assertThat(SMS).hasSize(1);
        ReceivedSms sms = SMS.get(0);
        assertThat(sms.to()).isEqualTo("+15550100001");
        assertThat(sms.from()).isEqualTo("+15005550006");
        assertThat(sms.text()).isEqualTo("Your booking B-1 is confirmed: 2026-05-04 at 19:30, 2 seats.");
        assertThat(sms.header("Idempotency-Key")).startsWith(id + "-");
        assertThat(sms.header("traceparent")).isEqualTo(TRACE);
        assertThat(sms.headers()).doesNotContainKeys("type", "aggregate-id", "tenant", "kafka.KEY");
    }

    @Test
    void a_placed_order_is_confirmed_by_mail_in_html_and_text() {
        UUID id = deliver("customer-email", "order.placed");

        assertThat(MAILS).hasSize(1);
        ReceivedMail received = MAILS.get(0);
        assertThat(received.recipient()).isEqualTo("guest1@example.com");
        assertThat(received.subject()).isEqualTo("Your order for booking B-1");
        assertThat(received.messageIdLocalPart()).startsWith(id + "-");
        assertThat(received.headers()).containsEntry("From", "bookings@example.com");
        assertThat(received.headers()).doesNotContainKeys("type", "aggregate-id", "tenant", "traceparent", "kafka.KEY");
        assertThat(received.text())
                .contains("Hello Guest <1> & family, thank you for your order of 2 seats: 84.50 EUR.");
        assertThat(received.html()).contains("Hello Guest &lt;1&gt; &amp; family, thank you");
    }

    private static String rootText(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString();
    }

    @Tag("long")
    @Test
    void a_failure_is_left_to_the_outbox_to_report() {
        WrittenLog log = WrittenLog.of(DefaultErrorHandler.class);

        attempt("booking-sms", "booking.confirmed", UUID.randomUUID(), PAYLOAD.replace("+15550100001", "12"));

        assertThat(log.lines()).isEmpty();
    }

    @Tag("long")
    @Test
    void the_mail_server_is_logged_in_to_when_a_user_is_configured() throws Exception {
        camel.stop();
        GreenMail withLogins = new GreenMail(new ServerSetup(0, "localhost", ServerSetup.PROTOCOL_SMTP));
        withLogins.start();
        try {
            camel = context(Map.of(
                    "camel.component.email.server",
                    "smtp://localhost:" + withLogins.getSmtp().getPort(),
                    "camel.component.email.user",
                    "nobody",
                    "camel.component.email.password",
                    "wrong"));

            Throwable failure = failure(() -> deliver("customer-email", "order.placed"));

            assertThat(failure).hasRootCauseInstanceOf(AuthenticationFailedException.class);
        } finally {
            withLogins.stop();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "customer-email, order.placed, smtp://localhost, camel.component.email.server, camel.component.email.timeout, java.net.SocketTimeoutException",
        "booking-sms, booking.confirmed, http://localhost, camel.component.sms.url, camel.component.sms.responseTimeout, dev.caravan.camel.NoAnswerException"
    })
    void a_destination_that_takes_a_connection_and_does_not_answer_is_given_up_after_the_timeout(
            String subscription, String type, String host, String url, String timeout, String error) throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            camel.stop();
            camel = context(Map.of(url, host + ":" + silent.getLocalPort(), timeout, "300ms"));

            Exchange failed = attempt(subscription, type, UUID.randomUUID(), PAYLOAD);

            assertThat(rootText(failed.getException())).startsWith(error);
            assertThat(failed.getProperty("CamelOutboxFailure"))
                    .isEqualTo(host.startsWith("smtp") ? "destination" : null); // the SMS may have been accepted
        }
    }

    private UUID deliver(String subscription, String type) {
        UUID id = UUID.randomUUID();
        deliver(subscription, type, id, PAYLOAD);
        return id;
    }

    private void deliver(String subscription, String type, UUID id, String payload) {
        Exchange exchange = attempt(subscription, type, id, payload);
        if (exchange.getException() != null) {
            throw new CamelExecutionException("attempt failed", exchange, exchange.getException());
        }
        assertThat(exchange.getProperties()).doesNotContainKey("CamelOutboxDead");
    }

    /** Body and headers as the outbox component makes them, and one header of the message's own. */
    private Exchange attempt(String subscription, String type, UUID id, String payload) {
        Map<String, Object> headers = new HashMap<>(Map.of(
                "id",
                id.toString(),
                "type",
                type,
                "aggregate-type",
                "booking",
                "aggregate-id",
                "B-1",
                "created-at",
                "2026-05-03T10:00:00Z",
                "tenant",
                "demo",
                "traceparent",
                TRACE,
                KafkaConstants.KEY,
                "B-1"));
        return camel.createProducerTemplate().send("outbox:" + subscription, exchange -> {
            exchange.getMessage().setBody(payload);
            exchange.getMessage().setHeaders(headers);
        });
    }

    private static Throwable failure(Runnable action) {
        try {
            action.run();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private static CamelContext context(Map<String, String> overrides) throws Exception {
        return ShippedRoutes.start(settings(overrides), database);
    }

    private static Settings settings(Map<String, String> overrides) {
        Map<String, String> all = new HashMap<>(Map.of(
                "camel.component.email.server", mail.url(),
                "camel.component.kafka.brokers", TestKafka.brokers(),
                "camel.component.sms.url", gateway.url(),
                "camel.component.sms.user", gateway.user(),
                "camel.component.sms.password", gateway.password()));
        all.putAll(overrides);
        return Settings.load(Path.of("application.properties"), all);
    }

    private static ConsumerRecord<String, String> firstRecord(String topic, UUID id) {
        return TestKafka.records(topic).stream()
                .filter(each -> id.toString().equals(header(each, "id")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no record with message id " + id + " in topic " + topic));
    }

    private static String header(ConsumerRecord<String, String> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
