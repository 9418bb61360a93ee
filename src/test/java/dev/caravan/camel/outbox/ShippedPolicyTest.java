package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.PathNotFoundException;
import dev.caravan.WrittenLog;
import dev.caravan.base.message.Message;
import dev.caravan.base.text.Causes;
import dev.caravan.camel.guard.OwnExchanges;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.outbox.HttpGateway.Answer;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import dev.caravan.lab.servers.mail.ScriptedSmtp;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.io.StringReader;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.security.auth.callback.Callback;
import javax.security.auth.login.AppConfigurationEntry;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.file.GenericFileOperationFailedException;
import org.apache.camel.http.base.HttpOperationFailedException;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.UncategorizedSQLException;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** How the shipped error handling classifies the failures of real clients with real servers for HTTP and SMTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShippedPolicyTest {
    private static final String STYLESHEET = "<xsl:stylesheet version='1.0'"
            + " xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'><b/></xsl:template></xsl:stylesheet>";

    @TempDir
    static Path folder;

    private Path stylesheet;

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final String STARTTLS = "?mail.smtp.starttls.enable=true&mail.smtp.starttls.required=true";
    private static final String MAIL = "?connectionTimeout=3000&mail.smtp.timeout=2000&from=a@example.com&subject=s";

    private final CamelContext camel = new DefaultCamelContext();
    private static final Properties ANSWERS = new Properties();

    static {
        ANSWERS.setProperty("caravan.answers.own-busy", "destination 4xx try .* later");
        ANSWERS.setProperty("caravan.answers.own-maintenance", "message 422 maintenance");
        ANSWERS.setProperty("caravan.answers.own-closed", "poison 5xx account closed");
    }

    private HttpGateway http;
    private ScriptedSmtp smtp;

    @BeforeAll
    void start() throws Exception {
        http = new HttpGateway();
        smtp = new ScriptedSmtp();
        camel.getPropertiesComponent().setInitialProperties(ANSWERS);
        ShippedPolicy.load(camel);
        stylesheet = Files.writeString(folder.resolve("b.xsl"), STYLESHEET);
        RouteBuilder.addRoutes(camel, routes -> {
            routes.from("direct:http").to(http.uri());
            routes.from("direct:impatient").to(http.uri(Duration.ofMillis(300)));
            routes.from("direct:secret").to(http.uri().replace("//localhost", "//user:topsecret@localhost"));
            routes.from("direct:unknown-host").to("http://no-such-host.invalid/");
            routes.from("direct:tls-mail")
                    .to(
                            "email:tls?from=a@example.com&to=b@example.com&subject=s&text=t&timeout=2s&server=RAW(smtp://localhost:"
                                    + smtp.port() + STARTTLS + ")");
            routes.from("direct:mail").to("smtp://localhost:" + smtp.port() + MAIL);
            routes.from("direct:any").toD("${header.address}");
            routes.from("direct:sms")
                    .to("sms:gateway?url=RAW(" + http.uri().replaceFirst("\\?.*", "")
                            + ")&from=Shop&to=RAW(+15550100001)&text=RAW(Hello Anna Example)");
            routes.from("direct:maintenance")
                    .to("sms:gateway?url=RAW(" + http.uri().replaceFirst("\\?.*", "")
                            + ")&from=Shop&to=RAW(+15550100001)&text=RAW(maintenance)");
            routes.from("direct:throwing").process(exchange -> {
                throw exchange.getMessage().getBody(Exception.class);
            });
            routes.from("direct:json").setBody().jsonpath("$.customer.phone");
            routes.from("direct:xml").convertBodyTo(Document.class);
            routes.from("direct:xpath").setBody().xpath("/a/text()", String.class);
            routes.from("direct:xslt").to("xslt:file:" + stylesheet + "?contentCache=false");
            routes.from("direct:xml-of-bean").process(exchange -> DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader("<html>Bad Gateway"))));
            routes.from("direct:later").to("seda:later?waitForTaskToComplete=Always");
            routes.from("seda:later").process(exchange -> {
                throw new IllegalStateException(
                        "cannot use " + exchange.getMessage().getBody());
            });
        });
        camel.start();
    }

    @BeforeEach
    void answerAsUsual() {
        http.answersWith(id -> Answer.of(200));
        smtp.clearScript();
    }

    @AfterAll
    void stop() throws Exception {
        camel.close();
        http.close();
        smtp.close();
    }

    /** Kafka's client has no connection then, so nothing is sent. */
    @Test
    void a_server_of_tokens_that_gives_none_for_kafka_is_unavailable() {
        String kafka = "kafka:orders?brokers=localhost:1&securityProtocol=SASL_PLAINTEXT&saslMechanism=OAUTHBEARER"
                + "&saslJaasConfig=RAW(org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;)"
                + "&additionalProperties.sasl.login.callback.handler.class=" + NoTokens.class.getName();

        Result result = send("direct:any", "{}", Map.of("address", kafka));

        assertThat(result.outcome()).isEqualTo(Outcome.UNAVAILABLE);
    }

    /** As the handler that requests tokens by HTTP. */
    public static final class NoTokens implements AuthenticateCallbackHandler {
        @Override
        public void configure(Map<String, ?> settings, String mechanism, List<AppConfigurationEntry> entries) {}

        @Override
        public void handle(Callback[] callbacks) throws IOException {
            throw new IOException("told to give none");
        }

        @Override
        public void close() {}
    }

    /** Such as that of a timer or a table. */
    @Test
    void poison_that_is_no_message_of_an_outbox_fails_with_its_own_error() {
        Exchange failed = camel.createProducerTemplate()
                .send("direct:json", exchange -> exchange.getMessage().setBody("{}"));

        assertThat(failed.getException()).hasRootCauseInstanceOf(PathNotFoundException.class);
        assertThat(failed.getProperty(OutboxConstants.DEAD)).isEqualTo(true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct:xml", "direct:xpath"})
    void a_payload_that_is_no_xml_is_dead_and_no_part_of_it_is_logged(String uri) {
        String payload = "<a>hunter&S3cretPassw0rd</a>";
        try (WrittenLog log = WrittenLog.warnings()) {
            for (Object body : List.of(payload, payload.getBytes(StandardCharsets.UTF_8))) {
                assertThat(send(uri, body, Map.of()).outcome()).isEqualTo(Outcome.DEAD);
            }
            assertThat(log.lines()).noneMatch(line -> line.contains("S3cret"));
        }
    }

    @Test
    void xml_of_others_that_cannot_be_read_is_no_poison() throws IOException {
        assertThat(send("direct:xml-of-bean", "<a/>", Map.of()).outcome()).isEqualTo(Outcome.RETRY);

        Files.writeString(stylesheet, "<half");
        assertThat(send("direct:xslt", "<a/>", Map.of()).outcome()).isEqualTo(Outcome.RETRY);
    }

    @Test
    void a_failure_in_a_route_on_other_threads_is_not_logged_with_a_payload_that_it_quotes() throws Exception {
        try (WrittenLog log = WrittenLog.warnings()) {
            assertThat(send("direct:later", "S3cretPassw0rd", Map.of()).outcome())
                    .isEqualTo(Outcome.RETRY);

            assertThat(log.lines()).isEmpty();

            camel.createProducerTemplate().send("direct:later", sent -> {
                OwnExchanges.mark(sent);
                sent.getMessage().setBody("S3cretPassw0rd"); // the relay does not wait for this one
            });
            eventually(() -> assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("A message of the outbox failed in the route", "IllegalStateException")
                    .doesNotContain("S3cret"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, DELIVERED",
        "400, DEAD",
        "401, UNAVAILABLE",
        "403, UNAVAILABLE",
        "404, DEAD",
        "407, UNAVAILABLE",
        "408, RETRY",
        "409, DEAD",
        "413, DEAD",
        "421, UNAVAILABLE",
        "422, DEAD",
        "425, RETRY",
        "429, UNAVAILABLE",
        "500, RETRY",
        "501, RETRY",
        "502, RETRY",
        "503, UNAVAILABLE",
        "504, RETRY"
    })
    void an_answer_of_http_is(int status, Outcome outcome) {
        http.answersWith(id -> Answer.of(status));

        assertThat(sendHttp().outcome()).isEqualTo(outcome);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | {\"code\": 21611, \"message\": \"queue full\"} | UNAVAILABLE",
                "400 | {\"message\":\"invalid\",\"code\":21211}      | DEAD",
                "400 | {\"code\": 216110}                           | DEAD",
                "400 | {\"code\": 21211, \"input\": {\"code\": 21611}} | DEAD",
                "400 | cannot read {\"code\": 21611}               | DEAD",
                "422 | cannot send: Throttling failure             | DEAD",
                "500 | no such room: 5.4.5, over quota             | RETRY",
                "503 | no such list: Greylist                      | UNAVAILABLE",
                "409 | Busy. Try again LATER                  | UNAVAILABLE",
                "422 | down for maintenance                        | RETRY",
                "503 | down for maintenance                        | UNAVAILABLE",
                "500 | Account closed                              | DEAD"
            })
    void a_known_answer_of_http_is(int status, String body, Outcome outcome) {
        http.answersWith(id -> new Answer(status, Map.of(), body.getBytes(StandardCharsets.UTF_8)));

        assertThat(sendHttp().outcome()).isEqualTo(outcome);
        assertThat(send("direct:sms", "{}", Map.of("id", "1")).outcome()).isEqualTo(outcome);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_message_that_an_answer_quotes_is_no_known_answer(boolean isBinary) {
        String payload = "{\"text\": \"Please try again later\"}";
        Object body = isBinary ? payload.getBytes(StandardCharsets.UTF_8) : payload;
        http.answersWith(id -> new Answer(422, Map.of(), ("cannot read " + payload).getBytes(StandardCharsets.UTF_8)));

        assertThat(send("direct:http", body, Map.of("position", 1)).outcome()).isEqualTo(Outcome.DEAD);
    }

    @Test
    void what_a_step_has_sent_instead_of_the_payload_is_no_known_answer() {
        http.answersWith(id -> new Answer(
                422,
                Map.of(),
                "cannot read To=%2B15550100001&From=Shop&Body=maintenance.".getBytes(StandardCharsets.UTF_8)));

        assertThat(send("direct:maintenance", "{}", Map.of("id", "1")).outcome())
                .isEqualTo(Outcome.DEAD);
    }

    @Test
    @Timeout(20)
    void a_long_answer_is_compared_with_the_known_ones_in_a_short_time() {
        byte[] body = "5.4.5 ".repeat(150_000).getBytes(StandardCharsets.UTF_8);
        http.answersWith(id -> new Answer(500, Map.of(), body));

        assertThat(sendHttp().outcome()).isEqualTo(Outcome.RETRY);
    }

    @Test
    void a_failure_of_http_names_the_step_without_its_options() {
        http.answersWith(id -> Answer.of(404));

        var failure = sendHttp().failure();

        assertThat(failure.step()).startsWith("http://localhost:").endsWith("/messages");
        assertThat(failure.errorText()).contains("404");
    }

    @Test
    void the_text_of_an_answer_is_kept_without_personal_data_and_content_of_the_message() {
        answersWith(
                "application/problem+json", "{\"detail\": \"amount must be positive\", \"to\": \"anna@example.com\"}");
        assertThat(sendHttp().failure().answer())
                .isEqualTo("{\"detail\": \"amount must be positive\", \"to\": \"•••@example.com\"}");

        String payload = "{\"guest\": \"Anna Example\"}";
        answersWith("text/plain", "cannot read " + payload);
        assertThat(failure(payload).answer()).isEqualTo("cannot read •••");
        answersWith("text/html", "x".repeat(100_000));
        assertThat(sendHttp().failure().answer()).hasSize(2_000);
    }

    @Test
    void what_a_step_has_sent_instead_of_the_payload_is_not_kept_with_its_answer() {
        answersWith("text/plain", "cannot read To=%2B15550100001&From=Shop&Body=Hello+Anna+Example.");

        Failure failure = send("direct:sms", "{}", Map.of("id", "1")).failure();

        assertThat(failure.answer()).isEqualTo("cannot read •••.");
    }

    @Test
    void an_answer_that_is_no_text_is_not_kept() {
        answersWith("image/png", "text");
        assertThat(sendHttp().failure().answer()).isEmpty();
        answersWith("application/json", "\u0001\u0002");
        assertThat(sendHttp().failure().answer()).isEmpty();
        http.answersWith(id -> Answer.of(422));
        assertThat(sendHttp().failure().answer()).isEmpty();
    }

    @Test
    void the_replies_of_a_mail_server_are_kept_for_each_recipient() {
        smtp.answers("rcpt", "550 5.1.1 no such mailbox");
        assertThat(sendMail("a@example.com, b@example.org").failure().answer().lines())
                .contains("•••@example.com: 550 5.1.1 no such mailbox", "•••@example.org: 550 5.1.1 no such mailbox");

        smtp.clearScript();
        smtp.answers("end", "552 5.3.4 too large");
        assertThat(sendMail("a@example.com").failure().answer()).isEqualTo("552 5.3.4 too large");
    }

    private void answersWith(String contentType, String body) {
        http.answersWith(
                id -> new Answer(422, Map.of("Content-Type", contentType), body.getBytes(StandardCharsets.UTF_8)));
    }

    private Failure failure(String payload) {
        var exchange = exchange("direct:http", payload, Map.of("position", "1"));
        var message = new Message(1, null, null, null, null, payload, null);
        return AttemptResult.of(
                        Part.of(exchange).fault(exchange), message, SettingSecrets.of(exchange.getContext()), true)
                .failure();
    }

    @Test
    void a_password_in_an_address_is_not_kept_with_a_failure() {
        http.answersWith(id -> Answer.of(404));

        var failure = send("direct:secret", "{}", Map.of("position", "1")).failure();

        assertThat(failure.step()).endsWith("/messages");
        assertThat(failure.toString()).doesNotContain("topsecret");
    }

    @Test
    void a_login_that_a_destination_quotes_is_not_kept_with_its_answer() {
        answersWith("application/json", "{\"headers\": {\"Authorization\": \"Basic dXNlcjp0b3BzZWNyZXQ=\"}}");

        assertThat(sendHttp().failure().answer()).isEqualTo("{\"headers\": {\"Authorization\": \"Basic •••\"}}");
    }

    @Test
    void retry_after_is_read_in_seconds_and_as_a_date() {
        http.answersWith(id -> new Answer(503, Map.of("Retry-After", "7")));
        assertThat(sendHttp().retryAfter()).isEqualTo(Duration.ofSeconds(7));

        String date = ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(60).format(DateTimeFormatter.RFC_1123_DATE_TIME);
        http.answersWith(id -> new Answer(429, Map.of("retry-after", date)));
        assertThat(sendHttp().retryAfter()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));

        for (String nonsense : new String[] {
            "soon",
            "-5",
            "Mon, 01 Jan 1990 00:00:00 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
            "999999999",
            "99999999999999999999"
        }) {
            http.answersWith(id -> new Answer(503, Map.of("Retry-After", nonsense)));
            assertThat(sendHttp().retryAfter()).as(nonsense).isZero();
        }
    }

    @Test
    void a_destination_cannot_request_a_longer_wait_than_is_set() {
        http.answersWith(id -> new Answer(503, Map.of("Retry-After", "86400")));
        assertThat(sendHttp().retryAfter()).isEqualTo(LONGEST_WAIT);

        String date = ZonedDateTime.now(ZoneOffset.UTC).plusDays(90).format(DateTimeFormatter.RFC_1123_DATE_TIME);
        http.answersWith(id -> new Answer(503, Map.of("Retry-After", date)));
        assertThat(sendHttp().retryAfter()).isEqualTo(LONGEST_WAIT);
    }

    @Test
    void a_refused_connection_is_a_failure_of_the_destination() throws Exception {
        HttpGateway closed = new HttpGateway();
        closed.close();

        assertThat(send("direct:any", "{}", Map.of("address", closed.uri())).outcome())
                .isEqualTo(Outcome.UNAVAILABLE);
    }

    @Test
    void an_unknown_host_is_a_failure_of_the_destination() {
        assertThat(send("direct:unknown-host", "{}", Map.of()).outcome()).isEqualTo(Outcome.UNAVAILABLE);
    }

    @Test
    void a_connection_cut_without_an_answer_is_an_attempt() {
        http.answersWith(id -> HttpGateway.CUT);

        assertThat(sendHttp().outcome()).isEqualTo(Outcome.RETRY);
    }

    @Test
    void an_answer_that_does_not_come_is_an_attempt() {
        CountDownLatch givenUp = new CountDownLatch(1);
        http.answersWith(id -> {
            givenUp.await();
            return Answer.of(200);
        });

        assertThat(send("direct:impatient", "{}", Map.of("position", 1)).outcome())
                .isEqualTo(Outcome.RETRY);
        givenUp.countDown();
    }

    @Test
    void a_payload_that_is_not_json_or_lacks_what_the_route_needs_is_poison() {
        assertThat(send("direct:json", "{", Map.of()).outcome()).isEqualTo(Outcome.DEAD);
        assertThat(send("direct:json", "{\"a\": 1}", Map.of()).outcome()).isEqualTo(Outcome.DEAD);
    }

    @Test
    void a_mail_that_is_accepted_is_delivered() {
        assertThat(sendMail("guest@example.com").outcome()).isEqualTo(Outcome.DELIVERED);
    }

    @ParameterizedTest
    @CsvSource({
        "connect, 421 too busy,            UNAVAILABLE",
        "connect, 554 no service here,     UNAVAILABLE",
        "connect, cut,                     UNAVAILABLE",
        "mail,    421 shutting down,       UNAVAILABLE",
        "mail,    451 try again,           RETRY",
        "mail,    530 login required,      UNAVAILABLE",
        "mail,    550 no such sender,      DEAD",
        "mail,    cut,                     UNAVAILABLE",
        "rcpt,    421 shutting down,       UNAVAILABLE",
        "rcpt,    450 mailbox busy,        RETRY",
        "rcpt,    530 STARTTLS required,   UNAVAILABLE",
        "rcpt,    452 mailbox full,        RETRY",
        "rcpt,    550 no such mailbox,     DEAD",
        "rcpt,    cut,                     UNAVAILABLE",
        "data,    451 try again,           RETRY",
        "data,    554 refused,             DEAD",
        "middle,  cut,                     RETRY",
        "end,     421 shutting down,       UNAVAILABLE",
        "end,     451 greylisted,          RETRY",
        "end,     552 too large,           DEAD",
        "rcpt,    451 4.7.1 Greylisted,    RETRY",
        "rcpt,    550 5.7.1 Greylisted,    RETRY",
        "end,     454 Throttling failure: Maximum sending rate exceeded., UNAVAILABLE",
        "rcpt,    550 5.4.5 Daily user sending quota exceeded, UNAVAILABLE",
        "mail,    451 please try this later, UNAVAILABLE",
        "data,    450 account closed,      RETRY",
        "mail,    550 account closed,      DEAD",
        "end,     cut,                     RETRY",
        "end,     ok without a code,       RETRY",
        "rcpt,    ok without a code,       UNAVAILABLE",
        "quit,    cut,                     DELIVERED",
        "quit,    550 no,                  DELIVERED",
        "quit,    bye without a code,      DELIVERED",
        "helo,    550 go away,             UNAVAILABLE"
    })
    void an_answer_of_a_mail_server_is(String command, String answer, Outcome outcome) {
        long quits = smtp.commands().stream().filter("QUIT"::equals).count();
        smtp.answers(command, answer);
        if (command.equals("helo")) {
            smtp.answers("ehlo", answer);
        }

        assertThat(sendMail("guest@example.com").outcome()).isEqualTo(outcome);
        assertThat(smtp.commands().stream().filter("QUIT"::equals).count() - quits)
                .isLessThanOrEqualTo(1);
    }

    /** The first line of an answer, or the answer to a later command, does not decide alone. */
    @ParameterizedTest
    @CsvSource({
        "end,  250-ok, 550 rejected, 250 ok, RETRY",
        "rcpt, 250-ok, 550 rejected, 250 ok, RETRY",
        "end,  550-no, 550 rejected, silence, DEAD"
    })
    void an_answer_of_several_lines_is(String command, String first, String last, String rset, Outcome outcome) {
        smtp.answers(command, first + "\r\n" + last);
        smtp.answers("rset", rset);

        assertThat(sendMail("guest@example.com").outcome()).isEqualTo(outcome);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"connect, UNAVAILABLE", "end, RETRY"})
    void a_mail_server_that_is_silent(String command, Outcome outcome) {
        smtp.answers(command, ScriptedSmtp.SILENCE);

        assertThat(sendMail("guest@example.com").outcome()).isEqualTo(outcome);
    }

    @Test
    void a_mail_server_that_does_not_answer_a_complete_mail_may_have_accepted_it() {
        smtp.answers("end", ScriptedSmtp.SILENCE);

        Failure failure = sendMail("guest@example.com").failure();

        assertThat(failure.reason()).contains("may have accepted the message");
        assertThat(smtp.commands())
                .as("the connection is closed without a further wait")
                .doesNotContain("QUIT");
    }

    /** With the parameters of docs/configuration.md neither a login nor a mail is sent without TLS. */
    @ParameterizedTest
    @CsvSource({"250 ok, STARTTLS is required", "250 STARTTLS, 454 TLS not available", "250 STARTTLS, 250 no"})
    void a_mail_server_that_begins_no_tls_is_unavailable(String features, String error) {
        smtp.answers("ehlo", "250-hello\r\n" + features);
        smtp.answers("starttls", error);
        smtp.answers("mail", "550 asked without TLS");

        Result result = send("direct:tls-mail", "text", Map.of());

        assertThat(result.outcome()).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(result.failure().errorText()).contains(error);
    }

    @Test
    void a_mail_server_that_refuses_connections_is_unavailable() throws Exception {
        ScriptedSmtp closed = new ScriptedSmtp();
        closed.close();
        String address = "smtp://localhost:" + closed.port() + MAIL;

        assertThat(send("direct:any", "text", Map.of("address", address, "To", "guest@example.com"))
                        .outcome())
                .isEqualTo(Outcome.UNAVAILABLE);
    }

    @Test
    void a_file_that_exists_and_may_not_fails_with_this_reason(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("a.json"), "{}");
        String address = "file:" + folder + "?fileName=a.json&fileExist=Fail";

        Result result = send("direct:any", "{}", Map.of("address", address));

        assertThat(result.outcome()).isEqualTo(Outcome.RETRY);
        assertThat(result.failure().errorText()).startsWith("File already exist: ");
    }

    @Test
    void a_name_that_the_locale_does_not_have_fails_with_what_to_do() {
        var refused =
                new InvalidPathException("\u00e4.json", "Malformed input or input contains unmappable characters");

        Result result = send("direct:throwing", refused, Map.of());

        assertThat(result.outcome()).isEqualTo(Outcome.RETRY);
        assertThat(result.failure().errorText()).endsWith("set LC_ALL=C.UTF-8 and start the relay again");
    }

    @Test
    void a_name_that_is_too_long_for_a_file_is_poison(@TempDir Path folder) {
        String address = "file:" + folder + "?fileName=" + "a".repeat(300);

        assertThat(send("direct:any", "{}", Map.of("address", address)).outcome())
                .isEqualTo(Outcome.DEAD);
    }

    /** Each clause may evaluate an exception without a message or a cause, or another one whose cause is of its kind. */
    @ParameterizedTest
    @MethodSource("failures")
    void no_clause_fails_with_an_error_of_its_own(Exception failure, Outcome outcome) {
        Result result = send("direct:throwing", failure, Map.of());

        assertThat(result.outcome()).isEqualTo(outcome);
        Throwable root = Causes.root(failure);
        assertThat(result.failure().errorClass()).isEqualTo(root.getClass().getName());
        assertThat(result.failure().errorText()).isEqualTo(Objects.requireNonNullElse(root.getMessage(), ""));
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new GenericFileOperationFailedException(550, "Permission denied"), Outcome.RETRY),
                Arguments.of(
                        new GenericFileOperationFailedException("a", new IOException((String) null)), Outcome.RETRY),
                Arguments.of(
                        new IllegalStateException("a", new GenericFileOperationFailedException("Cannot rename")),
                        Outcome.RETRY),
                Arguments.of(
                        new IllegalStateException(
                                new GenericFileOperationFailedException("a", new IOException("File name too long"))),
                        Outcome.DEAD),
                Arguments.of(answered(404), Outcome.DEAD),
                Arguments.of(answered(500), Outcome.RETRY),
                Arguments.of(new IllegalStateException("a", answered(404)), Outcome.DEAD),
                Arguments.of(new IllegalStateException(answered(503)), Outcome.UNAVAILABLE),
                Arguments.of(new IllegalStateException(answered(500)), Outcome.RETRY),
                Arguments.of(new IllegalArgumentException(), Outcome.RETRY),
                Arguments.of(new IllegalArgumentException((String) null, new IllegalStateException()), Outcome.RETRY),
                Arguments.of(new SocketTimeoutException(), Outcome.RETRY),
                Arguments.of(new IllegalStateException(new SocketTimeoutException("Read timed out")), Outcome.RETRY),
                Arguments.of(new IllegalStateException(new SQLException("read-only", "25006")), Outcome.UNAVAILABLE),
                Arguments.of(refused("with the --read-only option", 1290), Outcome.UNAVAILABLE),
                Arguments.of(refused("with the --skip-grant-tables option", 1290), Outcome.RETRY),
                Arguments.of(refused("the database is read-only.", 3906), Outcome.UNAVAILABLE),
                Arguments.of(refused(null, 3906), Outcome.RETRY),
                Arguments.of(new SQLException("read-only"), Outcome.RETRY),
                Arguments.of(new MessagingException(), Outcome.RETRY),
                Arguments.of(new RuntimeException((String) null), Outcome.RETRY));
    }

    private static Exception refused(String reason, int code) {
        return new UncategorizedSQLException("insert", null, new SQLException(reason, "HY000", code));
    }

    private static Exception answered(int status) {
        return new HttpOperationFailedException("http://localhost/", status, "No", null, Map.of(), null);
    }

    @Test
    void an_address_that_cannot_be_one_is_poison() {
        assertThat(sendMail("guest@@example com").outcome()).isEqualTo(Outcome.DEAD);
        assertThat(sendMail("").outcome()).isEqualTo(Outcome.DEAD);
    }

    private Result sendHttp() {
        return send("direct:http", "{}", Map.of("position", "1"));
    }

    private Result sendMail(String to) {
        return send("direct:mail", "text", Map.of("To", to));
    }

    private Result send(String uri, Object body, Map<String, Object> headers) {
        var exchange = exchange(uri, body, headers);
        return AttemptResult.of(
                Part.of(exchange).fault(exchange), null, SettingSecrets.of(exchange.getContext()), true);
    }

    private Exchange exchange(String uri, Object body, Map<String, Object> headers) {
        return camel.createProducerTemplate().send(uri, sent -> {
            Part.begin(sent, "", false);
            sent.getMessage().setBody(body);
            sent.getMessage().setHeaders(new HashMap<>(headers));
        });
    }
}
