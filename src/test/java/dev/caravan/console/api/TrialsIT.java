package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.message.Json;
import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Role;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetters;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrialsIT {
    @TempDir
    private Path routes;

    private Trials trials(String step) throws Exception {
        return trialsOf("- to: \"%s\"".formatted(step));
    }

    private Trials trialsOf(String steps) throws Exception {
        Files.writeString(routes.resolve("sms.camel.yaml"), """
                - route:
                    id: sms
                    from:
                      uri: outbox:sms
                      steps:
                %s
                """.formatted(steps.indent(8)));
        Settings settings = Settings.load(
                routes.resolve("none.properties"),
                Map.of("caravan.routes", routes.toString(), "shop.token", "verysecret"));
        return new Trials(settings, Mask.of("phone,email"));
    }

    private DeadLetter letter(TestOutbox outbox, String payload) throws Exception {
        outbox.jdbc().update("""
                        insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload,
                            created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)
                        values ('sms', 7, gen_random_uuid(), 'order', '77', 'order.created', '{"tenant": "north"}', ?::json,
                            now(), 10, now(), now(), 'java.io.IOException', 'refused', 'at')
                        """, payload);
        return new DeadLetters(outbox.dataSource()).find("sms", 7).orElseThrow();
    }

    @Test
    void the_request_is_shown_and_personal_values_and_secrets_are_hidden_wherever_they_occur() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            Trials trials = trials("http://127.0.0.1:1/in/x?httpMethod=POST");

            DeadLetter letter = letter(
                    outbox,
                    "{\"customer\": {\"phone\": \"+15005550001\"}, \"total\": 84.50, \"token\": \"verysecret\","
                            + " \"email\": [\"half\\\\of\\\"it\", \"\\u0061nna@b.example\"]}");
            String shown = Json.text(trials.of(letter, Role.ADMIN));

            assertThat(shown)
                    .contains("POST http://127.0.0.1:1/in/x")
                    .contains("tenant")
                    .contains("84.50")
                    .contains("\"outcome\" : \"delivered\"")
                    .doesNotContain("15005550001")
                    .doesNotContain("verysecret")
                    .doesNotContain("half", "nna@b");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"""
                - setHeader:
                    name: CamelHttpQuery
                    expression:
                      language: {language: text-template, expression: "to=${phone}"}
                - to: "http://127.0.0.1:1/in"
                """, """
                - setProperty:
                    name: phone
                    expression:
                      language: {language: payload, expression: phone}
                - toD: "http://127.0.0.1:1/in?to=${exchangeProperty.phone}"
                """, """
                - to:
                    uri: "email:customer"
                    parameters:
                      server: "smtp://localhost:25"
                      to: "shop@b.example"
                      from: "a@b.example"
                      subject: "Привет ${phone} ${email}"
                      html: "<p>${email}, ${phone}</p>"
                """})
    void personal_values_are_hidden_in_the_encodings_of_addresses_and_mails(String steps) throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            String shown = Json.text(trialsOf(steps)
                    .of(
                            letter(outbox, "{\"phone\": \"+49 (171) 1234567\", \"email\": \"o'brien@b.example\"}"),
                            Role.ADMIN));

            assertThat(shown).contains("•••").doesNotContain("1234567", "brien", "=?UTF-8?");
        }
    }

    /** Whoever has the address of a webhook can send to it: only an administrator sees whole addresses of routes. */
    @ParameterizedTest
    @CsvSource({
        "https://hooks.slack.example/services/T0AAAA1/B0BBBB2/XxXxSecret?httpMethod=POST, POST https://hooks.slack.example/services/•••/•••/•••",
        "https://api.telegram.example/bot123:AbCXxXxSecret/send?httpMethod=POST, POST https://api.telegram.example/•••/send",
        "https://api.example/v1/orders?httpMethod=POST&sig=XxXxSecret, POST https://api.example/v1/orders\\?sig=•••",
        "file:out/XxXxSecret1234567890123, file://out/•••",
        "telegram:bots/123456:AAHdqTcvCH1vGWJxXxXxSecretK5PALDsaw, the role admin"
    })
    void an_operator_sees_no_credential_of_an_address(String address, String shown) throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            Trials trials = trials(address);
            DeadLetter letter = letter(outbox, "{}");

            assertThat(shown(trials, letter, Role.ADMIN)).contains("XxXxSecret");
            assertThat(shown(trials, letter, Role.OPERATE))
                    .containsPattern(shown)
                    .doesNotContain("XxXxSecret");
        }
    }

    private static String shown(Trials trials, DeadLetter letter, Role role) throws Exception {
        try {
            return Json.text(trials.of(letter, role));
        } catch (HttpProblem e) {
            return e.getMessage();
        }
    }

    /** A name without a setting is looked up in the environment and among the system properties. */
    @Test
    void a_secret_that_a_route_reads_without_a_setting_is_hidden() throws Exception {
        System.setProperty("trials.apikey", "tapir-SYS-3321");
        try (TestOutbox outbox = TestOutbox.create()) {
            Trials trials = trialsOf("""
                    - setHeader: {name: X-A, expression: {simple: {expression: "{{trials.apikey}}"}}}
                    - setHeader: {name: X-B, expression: {simple: {expression: "a {{sys:trials.apikey}}"}}}
                    - setHeader: {name: X-C, expression: {simple: {expression: "${sys.trials.apikey}"}}}
                    - setHeader: {name: X-D, expression: {simple: {expression: "b {{env:NONE_SECRET:okapi-DEFAULT-5512}}"}}}
                    - setHeader: {name: X-E, expression: {simple: {expression: "{{none.password:ibex-DEFAULT-4419}}"}}}
                    - setHeader: {name: X-F, expression: {simple: {expression: "jdbc:postgresql://u:lemur@h/db?user=shop&password=narwhal"}}}
                    - setHeader: {name: X-G, expression: {simple: {expression: "{{none.level:plain-value}}"}}}
                    - setBody: {expression: {language: {language: json-template, expression: '{"pin":"{{trials.apikey}}"}'}}}
                    - to: "http://127.0.0.1:1/in?httpMethod=POST"
                    """);

            assertThat(shown(trials, letter(outbox, "{}"), Role.OPERATE))
                    .contains("a •••", "b •••", "jdbc:postgresql://•••@h/db?user=•••&password=•••", "plain-value")
                    .doesNotContain("tapir", "okapi", "ibex", "lemur", "shop", "narwhal");
        } finally {
            System.clearProperty("trials.apikey");
        }
    }

    @Test
    void the_user_of_a_masked_mail_address_is_hidden() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            Trials trials = trialsOf("""
                    - setHeader: {name: email, expression: {jsonpath: {expression: "$.email"}}}
                    - setHeader: {name: X-Local, expression: {simple: {expression: "hello ${header.email.split('@')[0]}!"}}}
                    - removeHeader: {name: email}
                    - setBody: {expression: {constant: {expression: "manual max"}}}
                    - to: "http://127.0.0.1:1/in?httpMethod=POST"
                    """);

            assertThat(shown(trials, letter(outbox, "{\"email\": \"anna.smith@b.example\"}"), Role.OPERATE))
                    .contains("hello •••!", "manual max");
            outbox.jdbc().update("delete from outbox_dead_letter");
            assertThat(shown(trials, letter(outbox, "{\"email\": \"max@b.example\"}"), Role.OPERATE))
                    .contains("hello •••!", "manual •••");
        }
    }

    @Test
    void a_subscription_without_a_route_is_reported() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            Trials trials = trials("log:in");
            DeadLetter letter = letter(outbox, "{}");
            Files.writeString(
                    routes.resolve("sms.camel.yaml"),
                    Files.readString(routes.resolve("sms.camel.yaml")).replace("outbox:sms", "outbox:other"));

            assertThatThrownBy(() -> trials.of(letter, Role.OPERATE))
                    .isInstanceOf(HttpProblem.class)
                    .hasMessageContaining("reads outbox:sms");
        }
    }
}
