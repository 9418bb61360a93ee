package dev.caravan.camel.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.caravan.TestHttp;
import dev.caravan.WrittenLog;
import dev.caravan.base.settings.SettingsFirst;
import dev.caravan.camel.headers.RowHeaders;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The steps sms and email as people write them, with values that mean something to URIs, YAML, Camel, HTML and mail. */
class StepsInYamlTest {
    private static final String SIGNS = "100% + 1 & more? #1; 5%25 a=b é 🚀 <b>";
    private static final String PAYLOAD = """
            {"phone": "+15550100001", "email": "guest@example.com", "name": "O'Hara & <b>Co</b>\\r\\nBcc: all@example.com"}""";

    @TempDir
    Path folder;

    private final List<ReceivedMail> mails = new CopyOnWriteArrayList<>();
    private final DefaultCamelContext camel = new DefaultCamelContext();
    private MailServer mail;
    private final TestHttp gateway = new TestHttp(201);

    @BeforeEach
    void start() throws Exception {
        mail = MailServer.start(mails::add);
        SettingsFirst.in(camel); // as in a relay
        camel.addComponent("outbox", new OutboxComponent());
        camel.getPropertiesComponent().addInitialProperty("sms.url", gateway.url() + "/m%2Fn%252Fo?a=b&c=%2B&d=%25");
        camel.getPropertiesComponent().addInitialProperty("email.url", mail.url());
        camel.getPropertiesComponent().addInitialProperty("password", "p&w=1+2 %41%25)é");
        camel.getPropertiesComponent().addInitialProperty("caravan.routes", folder.toString());
        camel.start();
        camel.getComponent("outbox");
    }

    @AfterEach
    void stop() throws Exception {
        camel.close();
        mail.close();
    }

    private void load(String step) throws Exception {
        PluginHelper.getRoutesLoader(camel)
                .loadRoutes(ResourceHelper.fromString("test.camel.yaml", """
                - route:
                    id: test
                    from:
                      uri: direct:test
                      steps:
                        - to:
                """ + step.indent(12)));
    }

    /** A fallback that sends the body, or reads the headers, must not get the form with the phone number. */
    @Test
    void a_step_that_catches_a_failure_gets_the_message_and_not_what_the_failed_step_sent() throws Exception {
        PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromString("test.camel.yaml", """
                - route:
                    id: test
                    from:
                      uri: direct:test
                      steps:
                        - doTry:
                            steps:
                              - to:
                                  uri: sms:gateway
                                  parameters:
                                    url: http://localhost:1/
                                    from: "+15005550006"
                                    to: "${phone}"
                                    text: "${name}"
                            doCatch:
                              - exception:
                                  - java.io.IOException
                                steps:
                                  - setProperty:
                                      name: caught
                                      expression: {simple: {expression: "${header.id} ${body}"}}
                """));

        Exchange sent = send("{}");

        assertThat(sent.getProperty("caught")).isEqualTo("m-1 " + PAYLOAD);
        assertThat(sent.getMessage().getHeaders()).containsOnlyKeys("id");
    }

    private Exchange send(String rowHeaders) {
        Exchange sent = camel.createProducerTemplate().send("direct:test", exchange -> {
            exchange.getMessage().setBody(PAYLOAD);
            exchange.getMessage().setHeader("id", "m-1");
            RowHeaders.setOn(exchange, rowHeaders);
        });
        assertThat(sent.getException()).isNull();
        assertThat(sent.getMessage().getBody()).isEqualTo(PAYLOAD);
        return sent;
    }

    @Test
    void an_sms_has_the_text_as_it_is_written() throws Exception {
        load("""
                uri: sms:gateway
                parameters:
                  url: "{{sms.url}}"
                  user: a user
                  password: "{{password}}"
                  from: "+15005550006"
                  to: "${phone}"
                  text: "%s ${name}"
                """.formatted(SIGNS));

        send("{}");

        assertThat(URLDecoder.decode(gateway.requests().get(0).text(), StandardCharsets.UTF_8))
                .isEqualTo("To=+15550100001&From=+15005550006&Body=" + SIGNS
                        + " O'Hara & <b>Co</b>\r\nBcc: all@example.com");
        assertThat(gateway.requests().get(0).uri()).isEqualTo("/m%2Fn%252Fo?a=b&c=%2B&d=%25");
        assertThat(gateway.requests().get(0).header("Idempotency-Key")).startsWith("m-1-");
        assertThat(gateway.requests().get(0).header("Authorization")).satisfies(value -> {
            byte[] login = java.util.Base64.getDecoder().decode(value.substring("Basic ".length()));
            assertThat(new String(login, StandardCharsets.UTF_8)).isEqualTo("a user:p&w=1+2 %41%25)é");
        });
    }

    /** The client of HTTP would log whole requests, with logins and payloads. */
    @Test
    void a_log_at_trace_has_no_login_and_no_payload() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level before = root.getLevel();
        root.setLevel(Level.TRACE);
        try (WrittenLog log = WrittenLog.of(org.slf4j.Logger.ROOT_LOGGER_NAME)) {
            load("""
                    uri: sms:gateway
                    parameters: {url: "{{sms.url}}", user: shop, password: secret, from: "+15005550006", to: "${phone}", text: "${name}"}
                    """);
            send("{}");

            assertThat(gateway.requests().get(0).header("Authorization")).isEqualTo("Basic c2hvcDpzZWNyZXQ=");
            assertThat(log.lines())
                    .noneMatch(line -> line.contains("c2hvcDpzZWNyZXQ=")
                            || line.contains("15550100001")
                            || line.contains("a=b&c"));
        } finally {
            root.setLevel(before);
        }
    }

    @Test
    void a_route_that_is_loaded_again_leaves_no_endpoint_and_no_bean_behind() throws Exception {
        List<String> steps = List.of("""
                uri: sms:gateway
                parameters:
                  url: "{{sms.url}}"
                  from: "+15005550006"
                  to: "${phone}"
                  text: "Hello"
                """, """
                uri: email:customer
                parameters:
                  server: "{{email.url}}"
                  from: "shop@example.com"
                  to: "${email}"
                  subject: "Hello"
                  text: "Hello"
                """, """
                uri: standard-webhook:partner
                parameters:
                  url: "https://partner.example/hooks"
                  secrets: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                """);
        for (String step : steps) {
            reload(step);
            int endpoints = camel.getEndpoints().size();
            int beans = camel.getRegistry().findByType(Object.class).size();

            for (int i = 0; i < 10; i++) {
                reload(step);
            }

            assertThat(camel.getEndpoints()).as(step).hasSize(endpoints);
            assertThat(camel.getRegistry().findByType(Object.class)).as(step).hasSize(beans);
        }
    }

    private void reload(String step) throws Exception {
        load(step);
        camel.getRouteController().stopRoute("test");
        camel.removeRoute("test");
    }

    @Test
    void a_mail_has_text_and_html_from_files() throws Exception {
        Files.writeString(folder.resolve("order.txt"), "Dear ${name}, " + SIGNS);
        Files.writeString(folder.resolve("order.html"), "<p>Dear ${name}, \\${x}</p>");
        load("""
                uri: email:customer
                parameters:
                  server: "{{email.url}}"
                  from: "Shop <shop@example.com>"
                  to: "${email}"
                  subject: "%s ${name}"
                  text: "file:order.txt"
                  html: "file:order.html"
                """.formatted(SIGNS));

        send("{}");

        ReceivedMail received = mails.get(0);
        assertThat(received.recipient()).isEqualTo("guest@example.com");
        assertThat(received.subject()).startsWith(SIGNS + " O'Hara & <b>Co</b>").contains("Bcc: all@example.com");
        assertThat(received.headers())
                .containsEntry("From", "Shop <shop@example.com>")
                .doesNotContainKey("Bcc");
        assertThat(received.text()).contains("Dear O'Hara & <b>Co</b>").contains(SIGNS);
        assertThat(received.html())
                .contains("Dear O&#39;Hara &amp; &lt;b&gt;Co&lt;/b&gt;")
                .contains("${x}");
        assertThat(received.messageIdLocalPart()).startsWith("m-1-");
    }

    /** A header that equals one of the row would be removed, as headers of a row never reach a mail. */
    @Test
    void a_row_cannot_take_the_recipient_from_a_mail() throws Exception {
        load("""
                uri: email:customer
                parameters:
                  server: "{{email.url}}"
                  from: shop@example.com
                  to: "${email}"
                  subject: Hello
                  text: "${name}"
                """);

        send(
                "{\"To\": \"guest@example.com\", \"Subject\": \"Hello\", \"From\": \"shop@example.com\", \"Cc\": \"a@example.com\"}");

        assertThat(mails.get(0).subject()).isEqualTo("Hello");
        assertThat(mails.get(0).headers()).doesNotContainKey("Cc");
        assertThat(mails.get(0).text()).contains("O'Hara & <b>Co</b>");
    }

    @Test
    void a_wrong_step_is_refused_when_its_route_is_created() {
        assertThatThrownBy(() -> load("""
                        uri: email:customer
                        parameters:
                          server: smtp://localhost
                          from: a@example.com
                          to: "${email"
                          subject: Hello
                          text: x
                        """)).rootCause().hasMessageContaining("${ has no }");
        assertThatThrownBy(() -> load("""
                        uri: sms:gateway
                        parameters:
                          url: http://localhost/
                          from: "+15005550006"
                          to: "${phone}"
                          text: "file:absent.txt"
                        """)).rootCause().hasMessageContaining("absent.txt does not exist");
    }
}
