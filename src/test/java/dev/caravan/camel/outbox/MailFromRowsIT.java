package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.apache.camel.builder.Builder.constant;
import static org.apache.camel.builder.Builder.header;
import static org.apache.camel.builder.Builder.simple;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import dev.caravan.lab.servers.mail.ScriptedSmtp;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.camel.model.RouteDefinition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes of users that send mail without removing headers first: a mail has the headers that the route sets. */
class MailFromRowsIT {
    private static final String HOSTILE = "{\"To\": \"evil@example.com\", \"CC\": \"evil@example.com\","
            + " \"bcc\": \"evil@example.com\", \"From\": \"boss@example.com\", \"Reply-To\": \"evil@example.com\","
            + " \"Sender\": \"boss@example.com\", \"Subject\": \"You have won\", \"contentType\": \"text/html\","
            + " \"Content-Type\": \"text/html\", \"X-Any\": \"a\\r\\nBcc: evil@example.com\", \"tenant\": \"demo\"}";

    private final List<ReceivedMail> mails = new CopyOnWriteArrayList<>();
    private final TestDestination afterwards = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();
    private MailServer server;

    @BeforeEach
    void create() throws Exception {
        server = MailServer.start(mails::add);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void a_row_chooses_neither_recipients_nor_sender_nor_any_header_of_a_mail() throws Exception {
        try (TestRelay relay = start()) {
            outbox.insertWithHeaders(HOSTILE);

            ReceivedMail mail = onlyMail();
            assertThat(mail.recipient()).isEqualTo("ops@example.com");
            assertThat(mail.subject()).isEqualTo("Orders");
            assertThat(mail.headers())
                    .containsEntry("From", "shop@example.com")
                    .containsEntry("To", "ops@example.com")
                    .doesNotContainKeys(
                            "Cc",
                            "Bcc",
                            "Reply-To",
                            "Sender",
                            "X-Any",
                            "tenant",
                            "id",
                            "type",
                            "aggregate-id",
                            "kafka.KEY");
            assertThat(mail.text()).isEqualTo("{\"a\":1}");
        }
    }

    /** Camel reads settings of the mail library, such as a proxy and TLS, from headers: CVE-2026-46584. */
    @Test
    void a_row_chooses_neither_proxy_nor_tls_of_the_mail_server() throws Exception {
        try (TestRelay relay = start()) {
            outbox.insertWithHeaders("{\"mail.smtp.proxy.host\": \"localhost\", \"mail.smtp.proxy.port\": \"1\"}");

            assertThat(onlyMail().recipient()).isEqualTo("ops@example.com");
        }
    }

    @Test
    void an_answer_to_an_earlier_step_chooses_neither_recipients_nor_any_header_of_a_mail() throws Exception {
        try (RawHttp answering = RawHttp.answering(RawHttp.OK + "To: evil@example.com\r\nBcc: evil@example.com\r\n"
                        + "Bcc: [other@example.com, third@example.com]\r\nCc: [other@example.com]\r\nSubject: You have won\r\nContent-Type: text/html\r\nX-Any: evil\r\n"
                        + "Content-Length: 2\r\nConnection: close\r\n\r\nok");
                TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                        .enrich(answering.url() + "/customer")
                        .to(answering.url() + "/hook")
                        .setHeader("X-Tenant", routes.constant("demo"))
                        .to(mailOfOrders() + "&to=ops@example.com"))) {
            outbox.insertWithHeaders("{}");

            ReceivedMail mail = onlyMail();
            assertThat(mail.recipient()).isEqualTo("ops@example.com");
            assertThat(mail.subject()).isEqualTo("Orders");
            assertThat(mail.headers()).containsEntry("X-Tenant", "demo").doesNotContainKeys("Bcc", "X-Any");
            assertThat(mail.headers().get("Content-Type")).startsWith("text/plain");
        }
    }

    @Test
    void a_step_after_the_mail_gets_the_headers_of_the_row_again() throws Exception {
        try (TestRelay relay = start()) {
            outbox.insertWithHeaders("{\"tenant\": \"demo\"}");

            onlyMail();
            eventually(() -> assertThat(afterwards.arrivals()).hasSize(1));
            assertThat(afterwards.arrivals().get(0).headers())
                    .containsEntry("tenant", "demo")
                    .containsEntry("type", "order.created");
        }
    }

    @Test
    void headers_that_the_route_sets_are_sent_each_on_one_line() throws Exception {
        try (TestRelay relay = start(route -> route.removeProperties("*")
                .setHeader("To", constant("guest@example.com"))
                .setHeader("X-Tenant", header("tenant"))
                .setHeader("X-Note", simple("${header.X-Any}"))
                .to(mailOfOrders()))) {
            outbox.insertWithHeaders(HOSTILE);

            ReceivedMail mail = onlyMail();
            assertThat(mail.recipient()).isEqualTo("guest@example.com");
            assertThat(mail.headers()).containsEntry("X-Tenant", "demo").doesNotContainKey("Bcc");
            assertThat(mail.headers().get("X-Note")).contains("a").contains("Bcc: evil@example.com");
        }
    }

    /** Otherwise the mail would go to the recipients of the step, and no copy to those whom the route adds. */
    @ParameterizedTest
    @CsvSource({"row, To", "row, bcc", "answer, TO", "answer, Bcc"})
    void neither_a_row_nor_an_answer_takes_away_a_recipient_that_the_route_sets(String from, String name)
            throws Exception {
        String recipient = "audit@example.com";
        try (RawHttp answering = RawHttp.answering(
                        RawHttp.OK + name + ": " + recipient + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
                TestRelay relay = start(route -> (from.equals("row") ? route : route.to(answering.url() + "/hook"))
                        .setHeader(name, constant(recipient))
                        .to(mailOfOrders() + "&to=ops@example.com"))) {
            outbox.insertWithHeaders(from.equals("row") ? "{\"" + name + "\": \"" + recipient + "\"}" : "{}");

            assertThat(onlyMail().recipient()).isEqualTo(recipient);
        }
    }

    @Test
    void a_header_that_the_route_sets_before_an_answer_of_this_name_is_sent() throws Exception {
        try (RawHttp answering = RawHttp.answering(
                        RawHttp.OK + "SUBJECT: You have won\r\nx-tenant: evil\r\nX-Tenant: worse\r\n"
                                + "X-Note: evil\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
                TestRelay relay = start(route -> route.setHeader("Subject", constant("Order 1"))
                        .setHeader("X-Tenant", constant("demo"))
                        .setHeader("X-Note", constant("removed"))
                        .setHeader("Content-Type", constant("application/json"))
                        .to(answering.url() + "/hook")
                        .removeHeader("X-Note")
                        .to(answering.url() + "/hook")
                        .to(mailOfOrders() + "&to=ops@example.com"))) {
            outbox.insertWithHeaders("{\"X-Tenant\": \"row\"}");

            ReceivedMail mail = onlyMail();
            assertThat(mail.subject()).isEqualTo("Order 1");
            assertThat(mail.headers()).containsEntry("X-Tenant", "demo").doesNotContainKey("X-Note");
            assertThat(mail.headers().get("Content-Type")).startsWith("text/plain");
        }
    }

    /** The mail library would drop the text after the comment: a recipient, or the rest of the domain. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a@example.com (Anna) b@example.com",
                "c@example.com, a@example.com (Anna) b@example.com",
                "a@example(Anna).com",
                "<a@example.com> b@example.com",
                "a@example.com (An\\)na) .org"
            })
    void a_list_of_recipients_with_a_text_after_an_address_is_sent_to_nobody(String recipients) throws Exception {
        try (TestRelay relay = start(
                route -> route.setHeader("To", constant(recipients)).to(server.url() + "?from=shop@example.com"))) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
            assertThat(mails).isEmpty();
            assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("text after an address");
        }
    }

    /** Camel and the mail library need time for the square of the length: hours for 16 MB. */
    @ParameterizedTest
    @ValueSource(strings = {"To", "Subject"})
    void a_header_of_a_megabyte_is_sent_to_nobody(String name) throws Exception {
        try (TestRelay relay = start(route ->
                route.setHeader(name, constant("a@b.c,".repeat(200_000))).to(mailOfOrders() + "&to=ops@example.com"))) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
            assertThat(mails).isEmpty();
            assertThat(outbox.text("select error_text from outbox_dead_letter"))
                    .contains("more than 100000 characters");
        }
    }

    @Test
    void options_with_a_text_after_an_address_are_sent_to_nobody() throws Exception {
        try (TestRelay relay = start(route ->
                route.to(server.url() + "?from=shop@example.com&cc=RAW(a@example.com (Anna) b@example.com)"))) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
            assertThat(mails).isEmpty();
        }
    }

    /** The mail library reports the success with an exception. */
    @Test
    void a_mail_is_sent_once_with_an_option_that_reports_success() throws Exception {
        try (TestRelay relay =
                start(route -> route.to(mailOfOrders() + "&to=ops@example.com&mail.smtp.reportsuccess=true")
                        .process(afterwards))) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(afterwards.ids()).hasSize(1));
            onlyMail();
        }
    }

    /** The mail library would take the address that the guest has written for a name. */
    @ParameterizedTest
    @ValueSource(strings = {"To", "cc", "Bcc", "From", "Sender", "Reply-To"})
    void an_address_that_the_library_takes_for_a_name_is_sent_to_nobody(String name) throws Exception {
        try (TestRelay relay =
                start(route -> route.setHeader(name, constant("\"x, y\" guest@a.example <other@b.example>"))
                        .setHeader(name.equals("To") ? "Cc" : "To", constant("ops@example.com"))
                        .to(server.url() + "?from=shop@example.com"))) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
            assertThat(mails).isEmpty();
            assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("Put a name with an @ into");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"a@example.com, b@example.com\" <a@example.com>, b@example.com",
                "a@example.com (Anna), b@example.com",
                "(to) a@example.com; b@example.com (Ben (Berlin)) (2)",
                "\"Anna (home)\" <a@example.com>, b@example.com",
                "Anna (x) < a@example.com > (y), b@example.com"
            })
    void a_list_of_recipients_with_comments_is_sent_to_each(String recipients) throws Exception {
        try (TestRelay relay = start(
                route -> route.setHeader("To", constant(recipients)).to(server.url() + "?from=shop@example.com"))) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(mails)
                    .extracting(ReceivedMail::recipient)
                    .containsExactlyInAnyOrder("a@example.com", "b@example.com"));
        }
    }

    /** Camel would send it to the mailbox of the login. */
    @ParameterizedTest
    @CsvSource({
        "to,   none",
        "to,   To",
        "to,   bcc",
        "to,   empty",
        "toD,  To",
        "toD,  Cc",
        "toD,  option",
        "user, To",
    })
    void a_mail_without_a_recipient_is_sent_to_nobody_also_with_a_login(String kind, String name) throws Exception {
        String login = "username=orders@shop.example&password=secret";
        String uri = kind.equals("user") ? server.url().replace("//", "//orders@") : server.url();
        String mail = uri + "?from=shop@example.com" + (kind.equals("user") ? "" : "&" + login);
        try (TestRelay relay = start(route -> {
            if (name.equals("empty")) {
                route.setHeader("To", constant(""));
            } else if (!name.equals("none") && !name.equals("option")) {
                route.setHeader(name, header("mail"));
            }
            switch (kind) {
                case "toD" ->
                    route.toD(mail + "&subject=${header.type}" + (name.equals("option") ? "&to=${header.mail}" : ""));
                default -> route.to(mail);
            }
        })) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
            assertThat(mails).isEmpty();
            assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("recipient");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"to", "Cc", "bcc"})
    void a_mail_with_a_login_goes_to_the_recipients_of_the_options_only(String name) throws Exception {
        String recipient = name.equals("to") ? "orders@shop.example" : "ops@example.com";
        try (TestRelay relay = start(route ->
                route.to(mailOfOrders() + "&username=orders@shop.example&password=secret&" + name + "=" + recipient))) {
            outbox.insertWithHeaders("{}");

            assertThat(onlyMail().recipient()).isEqualTo(recipient);
        }
    }

    private TestRelay start(Consumer<RouteDefinition> steps) throws Exception {
        return TestRelay.startAsShipped(outbox.pool(), routes -> steps.accept(routes.from("outbox:orders")));
    }

    @Test
    void a_mail_server_that_never_answers_a_mail_gets_as_many_copies_as_there_are_attempts() throws Exception {
        List<String> copies = new CopyOnWriteArrayList<>();
        try (ScriptedSmtp slow = new ScriptedSmtp(mail -> {
                    copies.add(mail);
                    return ScriptedSmtp.SILENCE;
                });
                var log = WrittenLog.of(AttemptLog.class);
                TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from(
                                "outbox:orders?maxAttempts=2&backoff=1ms")
                        .to("smtp://localhost:" + slow.port()
                                + "?from=shop@example.com&to=ops@example.com&subject=s&mail.smtp.timeout=100"))) {
            outbox.insertWithHeaders("{}");

            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
            assertThat(copies).hasSize(2);
            assertThat(log.lines()).anyMatch(line -> line.contains("may have accepted the message). Attempt 1"));
        }
    }

    private TestRelay start() throws Exception {
        return start(route -> route.removeProperties("*")
                .to(mailOfOrders() + "&to=ops@example.com")
                .process(afterwards));
    }

    private String mailOfOrders() {
        return server.url() + "?from=shop@example.com&subject=Orders&contentType=text/plain";
    }

    private ReceivedMail onlyMail() throws Exception {
        eventually(() -> assertThat(mails).isNotEmpty());
        assertThat(mails).hasSize(1);
        return mails.get(0);
    }
}
