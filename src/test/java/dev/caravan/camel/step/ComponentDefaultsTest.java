package dev.caravan.camel.step;

import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.email.EmailComponent;
import dev.caravan.camel.email.EmailConfiguration;
import dev.caravan.camel.email.EmailEndpoint;
import dev.caravan.routes.destination.HttpSent;
import dev.caravan.routes.destination.MailSent;
import dev.caravan.test.RouteTest;
import dev.caravan.test.TestedMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings such as {@code camel.component.sms.url} are the defaults of all steps of that name. */
class ComponentDefaultsTest {
    private static final String SMS = """
            camel.component.sms.url = https://sms.example.com/messages
            camel.component.sms.user = shop
            camel.component.sms.password = a+b&c %41
            camel.component.sms.from = +15005550006
            """;

    @TempDir
    private Path folder;

    private TestedMessage sent(String settings, String step) throws IOException {
        Files.writeString(folder.resolve("test.properties"), settings);
        Path route = Files.writeString(folder.resolve("test.camel.yaml"), """
                - route:
                    id: test
                    from:
                      uri: outbox:test
                      steps:
                        - to:
                """ + step.indent(12));
        try (RouteTest routes = RouteTest.of(route.toString()).build()) {
            return routes.send(message("order.placed").payload("1")).assertDelivered();
        }
    }

    @Test
    void an_sms_has_the_gateway_and_the_sender_of_the_component() throws Exception {
        HttpSent sms = sent(SMS, """
                uri: sms:gateway
                parameters: {to: "+15550100001", text: Hello}
                """).http();

        assertThat(sms.url()).isEqualTo("https://sms.example.com/messages");
        assertThat(sms.text()).isEqualTo("To=%2B15550100001&From=%2B15005550006&Body=Hello");
        assertThat(sms.header("Authorization")).contains("Basic c2hvcDphK2ImYyAlNDE=");
    }

    /** Camel accepts several notations of an option. */
    @ParameterizedTest
    @ValueSource(strings = {"url", "URL", "ur-l", "configuration.url"})
    void a_step_with_its_own_gateway_does_not_get_the_login_of_the_component(String option) throws Exception {
        HttpSent sms = sent(SMS, """
                uri: sms:gateway
                parameters: {%s: "https://other.example.com/sms", from: "+15005550007", to: "+15550100001", text: Hello}
                """.formatted(option)).http();

        assertThat(sms.url()).isEqualTo("https://other.example.com/sms");
        assertThat(sms.text()).contains("From=%2B15005550007");
        assertThat(sms.header("Authorization")).isEmpty();
    }

    @Test
    void a_step_may_have_another_user_at_the_gateway_of_the_component() throws Exception {
        HttpSent sms = sent(SMS, """
                uri: sms:gateway
                parameters: {user: other, to: "+15550100001", text: Hello}
                """).http();

        assertThat(sms.header("Authorization")).contains("Basic b3RoZXI6YStiJmMgJTQx");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "configuration.server"})
    void a_step_with_its_own_mail_server_does_not_get_the_login_of_the_component(String option) throws Exception {
        try (var camel = new DefaultCamelContext()) {
            EmailConfiguration component =
                    camel.getComponent("email", EmailComponent.class).getConfiguration();
            component.setServer("smtp://mail.example.com");
            component.setUser("shop");
            component.setPassword("secret");

            EmailConfiguration own = camel.getEndpoint(
                            "email:a?" + option + "=smtp://other.example.com", EmailEndpoint.class)
                    .getConfiguration();
            EmailConfiguration usual =
                    camel.getEndpoint("email:a", EmailEndpoint.class).getConfiguration();

            assertThat(own.getServer()).isEqualTo("smtp://other.example.com");
            assertThat(own.getUser()).isNull();
            assertThat(own.getPassword()).isNull();
            assertThat(usual.getServer()).isEqualTo("smtp://mail.example.com");
            assertThat(usual.getPassword()).isEqualTo("secret");
        }
    }

    @Test
    void a_mail_has_the_sender_of_the_component() throws Exception {
        MailSent mail = sent("""
                camel.component.email.server = smtp://mail.example.com
                camel.component.email.from = Shop <shop@example.com>
                camel.component.email.messageIdDomain = example.org
                """, """
                uri: email:customer
                parameters: {to: guest@example.com, subject: Hello, text: Hello}
                """).mail();

        assertThat(mail.header("From")).contains("Shop <shop@example.com>");
        assertThat(mail.header("Message-ID").orElseThrow()).endsWith("@example.org>");
    }

    @Test
    void all_webhooks_may_be_sent_within_the_own_network() throws Exception {
        HttpSent request = sent("camel.component.standard-webhook.allowPrivateAddresses = true", """
                uri: standard-webhook:partner
                parameters: {url: "http://127.0.0.1:1/hooks", secrets: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}
                """)
                .http();

        assertThat(request.url()).isEqualTo("http://127.0.0.1:1/hooks");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sms:gateway?to=a&text=b | the option url is missing or empty: set it in the route, or the setting camel.component.sms.url for all routes; the option from is missing or empty: set it in the route, or the setting camel.component.sms.from for all routes",
                "sms:gateway?url=http://a&from=b&text=c | the option to is missing or empty",
                "email:customer?from=a&to=b | the option server is missing or empty: set it in the route, or the setting camel.component.email.server for all routes; the option subject is missing or empty; the option text is missing or empty",
                "standard-webhook:partner | the option url is missing or empty; the option secrets is missing or empty",
            })
    void what_is_missing_is_named_at_once_and_where_it_can_be_set(String uri, String problems) throws Exception {
        try (var camel = new DefaultCamelContext()) {
            assertThatThrownBy(() -> camel.getEndpoint(uri).createProducer()).hasMessage(problems);
        }
    }
}
