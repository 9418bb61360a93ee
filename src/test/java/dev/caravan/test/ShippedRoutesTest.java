package dev.caravan.test;

import static dev.caravan.routes.destination.Answer.OK;
import static dev.caravan.routes.destination.Answer.refused;
import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.destination.Header;
import dev.caravan.routes.destination.HttpSent;
import dev.caravan.routes.destination.MailSent;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the shipped routes send, and when they give a message up. */
class ShippedRoutesTest {
    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final String PAYLOAD = """
            {"bookingId": "B-1", "seq": 3, "date": "2026-05-04", "time": "19:30", "seats": 2, "price": "84.50", "currency": "EUR",
             "customer": {"name": "Guest <1> & family", "phone": "+15550100001", "email": "guest1@example.com"}}""";

    @RegisterExtension
    static final RouteTest routes = RouteTest.of("routes").build();

    @Test
    void orders_and_bookings_go_to_their_topics_with_key_and_message_id() {
        TestedMessage order = send("order.placed").by("orders-to-kafka").assertDelivered();
        TestedMessage booking = send("booking.requested").assertDelivered();

        assertThat(order.kafka().topic()).isEqualTo("orders");
        assertThat(booking.kafka().topic()).isEqualTo("bookings");
        assertThat(booking.kafka().key().orElseThrow().text()).isEqualTo("B-1");
        assertThat(booking.kafka().text()).isEqualTo(PAYLOAD);
        assertThat(booking.kafka().header("id")).contains(booking.id().toString());
        assertThat(booking.kafka().header("type")).contains("booking.requested");
        assertThat(booking.kafka().header("aggregate-id")).contains("B-1");
        assertThat(booking.kafka().header("traceparent")).contains(TRACE);
    }

    @Test
    void a_confirmed_booking_is_announced_by_sms_and_mail() {
        TestedMessage booking = send("booking.confirmed").assertDelivered();

        HttpSent sms = booking.http();
        assertThat(form(sms))
                .isEqualTo("To=+15550100001&From=+15005550006"
                        + "&Body=Your booking B-1 is confirmed: 2026-05-04 at 19:30, 2 seats.");
        assertThat(sms.header("Idempotency-Key").orElseThrow()).startsWith(booking.id() + "-");
        assertThat(sms.header("traceparent")).contains(TRACE);
        assertThat(sms.headers())
                .extracting(Header::name)
                .doesNotContain("type", "aggregate-id", "tenant", "kafka.KEY");
        assertThat(booking.mail().header("Subject")).contains("Booking B-1 is confirmed");
        assertThat(text(booking.mail(), 0)).contains("we expect you on 2026-05-04 at 19:30.");
    }

    @Test
    void a_cancelled_booking_is_announced_with_another_text() {
        assertThat(form(send("booking.cancelled").assertDelivered().http()))
                .endsWith("Your booking B-1 for 2026-05-04 is cancelled.");
    }

    @Test
    void a_placed_order_is_confirmed_by_mail_in_html_and_text() {
        TestedMessage order = send("order.placed").assertDelivered();

        MailSent mail = order.mail();
        assertThat(mail.recipients()).containsExactly("guest1@example.com");
        assertThat(mail.header("Subject")).contains("Your order for booking B-1");
        assertThat(mail.header("Message-ID").orElseThrow())
                .matches("<" + order.id() + "-[0-9a-f]{12}@caravan.localhost>");
        assertThat(mail.header("From")).contains("bookings@example.com");
        assertThat(mail.headers())
                .extracting(Header::name)
                .doesNotContain("type", "aggregate-id", "tenant", "traceparent", "kafka.KEY");
        assertThat(text(mail, 0)).contains("Hello Guest <1> & family, thank you for your order of 2 seats: 84.50 EUR.");
        assertThat(text(mail, 1)).contains("Hello Guest &lt;1&gt; &amp; family, thank you");
    }

    @Test
    void a_repeat_with_the_same_message_id_is_not_sent_again() {
        TestMessage booking = booking("booking.confirmed", PAYLOAD);
        routes.send(booking).assertDelivered();

        TestedMessage again = routes.send(booking);

        again.by("booking-sms").assertRepeat();
        again.by("customer-email").assertRepeat();
    }

    @Test
    void what_failed_is_sent_when_it_comes_again() {
        routes.answer("guest1@example.com", refused(), OK);
        routes.answer("Messages.json", status(400), OK);
        TestMessage booking = booking("booking.confirmed", PAYLOAD);
        TestedMessage first = routes.send(booking);
        first.by("booking-sms").assertDead();
        first.by("customer-email").assertUnavailable();

        routes.retry();
        TestedMessage again = routes.send(booking);

        again.by("booking-sms").assertDelivered();
        first.by("customer-email").assertDelivered();
        again.by("customer-email").assertRepeat();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "guest1@example.com,other@example.com",
                "guest1@example.com; other@example.com",
                "guest1@example.com\\r\\nBcc: other@example.com",
                "guests: guest1@example.com, other@example.com;",
                "guest1",
                "",
            })
    void a_mail_to_anything_but_one_address_is_dead_and_its_error_quotes_nobody(String address) {
        TestedMessage dead = routes.send(booking("order.placed", PAYLOAD.replace("guest1@example.com", address)))
                .by("customer-email")
                .assertDead()
                .assertReason("AddressException")
                .assertReason("mail address");

        assertThat(dead.sent()).isEmpty();
        assertThat(dead.toString()).doesNotContain("guest1@", "other@");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+15550100001,+15550100002", "+15550100001\\n+15550100002", "5550100001", ""})
    void an_sms_to_anything_but_one_number_is_dead_and_its_error_quotes_nobody(String number) {
        TestedMessage dead = routes.send(booking("booking.cancelled", PAYLOAD.replace("+15550100001", number)))
                .by("booking-sms")
                .assertDead()
                .assertReason("phone number");

        assertThat(dead.sent()).isEmpty();
        assertThat(dead.toString()).doesNotContain("5550100001", "5550100002");
    }

    @Test
    void what_a_payload_says_is_text_and_never_evaluated() {
        String name = "${header.id} {{camel.component.email.server}} $simple{sys.user.home} , 'a') + \\\" x";
        String booking = "B-1 ${exchangeProperty.x}\\r\\nBcc: other@example.com";
        String payload = PAYLOAD.replace("Guest <1> & family", name).replace("\"B-1\"", "\"" + booking + "\"");

        MailSent mail =
                routes.send(booking("order.placed", payload)).assertDelivered().mail();
        HttpSent sms = routes.send(booking("booking.cancelled", payload))
                .assertDelivered()
                .http();

        assertThat(mail.recipients()).hasSize(1);
        assertThat(mail.headers()).extracting(Header::name).doesNotContain("Bcc");
        assertThat(mail.header("Subject").orElseThrow().replace("\r\n", "")) // a long line is folded
                .startsWith("Your order for booking B-1 ${exchangeProperty.x}")
                .contains("Bcc: other@example.com");
        assertThat(text(mail, 0))
                .contains("${header.id} {{camel.component.email.server}} $simple{sys.user.home} , 'a') + \" x");
        assertThat(form(sms)).contains("B-1 ${exchangeProperty.x}\r\nBcc: other@example.com for");
    }

    private static TestedMessage send(String type) {
        return routes.send(booking(type, PAYLOAD));
    }

    private static TestMessage booking(String type, String payload) {
        return message(type)
                .key("booking/B-1")
                .payload(payload)
                .header("tenant", "demo")
                .header("traceparent", TRACE);
    }

    private static String form(HttpSent sms) {
        return URLDecoder.decode(sms.text(), StandardCharsets.UTF_8);
    }

    private static String text(MailSent mail, int part) {
        return mail.parts().get(part).content().text();
    }
}
