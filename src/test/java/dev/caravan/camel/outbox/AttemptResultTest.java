package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.camel.NoAnswerException;
import dev.caravan.camel.guard.Fault;
import dev.caravan.engine.schedule.Outcome;
import java.io.EOFException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.apache.camel.http.base.HttpOperationFailedException;
import org.apache.camel.impl.DefaultCamelContext;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptResultTest {
    private static final SettingSecrets NONE = SettingSecrets.of(new DefaultCamelContext());

    /** Steps quote them: {@code validate} its expression, {@code sql} its statement, and a destination its request. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Validation failed for Predicate[header(sig) == SecretHdrKey04/a b]",
                "syntax error near 'SECRETHDRKEY04/A B'",
                "{\"key\":\"SecretHdrKey04\\/a b\"}",
                "sig=SecretHdrKey04%2Fa+b&x",
                "U2VjcmV0SGRyS2V5MDQvYSBi"
            })
    void no_text_of_a_failure_has_a_secret_of_the_settings(String text) throws Exception {
        try (var context = new DefaultCamelContext()) {
            Properties settings = new Properties();
            settings.setProperty("api.key", "SecretHdrKey04/a b");
            context.getPropertiesComponent().setInitialProperties(settings);
            Exception error = new HttpOperationFailedException("http://there", 400, text, null, Map.of(), text);

            var failure = AttemptResult.of(
                            new Fault(
                                    Outcome.RETRY,
                                    new IllegalStateException(text, error),
                                    "http://there/SecretHdrKey04%2Fa%20b",
                                    null,
                                    List.of(),
                                    false),
                            null,
                            SettingSecrets.of(context),
                            true)
                    .failure();

            assertThat(failure.toString())
                    .contains("•••")
                    .doesNotContainIgnoringCase("SecretHdrKey04", "U2VjcmV0SGRyS2V5MDQvYSBi");
        }
    }

    @Test
    void no_text_of_a_failure_has_a_part_of_a_url_of_a_database_that_is_a_secret() throws Exception {
        try (var context = new DefaultCamelContext()) {
            Properties settings = new Properties();
            settings.setProperty("camel.beans.shop.jdbcUrl", "jdbc:mariadb://joe:one1abc/two2abc@localhost:3306/shop");
            context.getPropertiesComponent().setInitialProperties(settings);

            assertThat(SettingSecrets.of(context).text("Incorrect port value : one1abc"))
                    .isEqualTo("Incorrect port value : •••");
        }
    }

    @Test
    void a_failure_of_http_shows_the_host_that_was_called_also_with_an_at_sign_in_the_path() {
        String address = "http://127.0.0.1:18081/to/max@example.com/orders?httpMethod=PUT";
        Exception error = new HttpOperationFailedException(
                "http://127.0.0.1:18081/to/max@example.com/orders?a=b", 400, "", null, Map.of(), "");

        var failure = AttemptResult.of(new Fault(Outcome.DEAD, error, address, null, List.of(), true), null, NONE, true)
                .failure();

        String shown = "http://127.0.0.1:18081/to/•••@example.com/orders";
        assertThat(failure.step()).isEqualTo(shown);
        assertThat(failure.errorText()).contains("invoking " + shown + "?••• with statusCode: 400");
        assertThat(failure.stack()).contains("invoking " + shown + "?••• with statusCode: 400");
    }

    @Test
    void a_secret_that_a_route_reads_by_a_placeholder_is_hidden_too() throws Exception {
        try (var context = new DefaultCamelContext()) {
            SettingSecrets secrets = SettingSecrets.of(context);
            context.resolvePropertyPlaceholders("{{partner.token:placeholder-Token7}} {{partner.name:anna-and-bert}}");

            assertThat(secrets.text("got placeholder-Token7 of anna-and-bert")).isEqualTo("got ••• of anna-and-bert");
        }
    }

    /** The log, the state of the destination and the health of a relay have it, which need no right to see payloads. */
    @Test
    void a_reason_has_nothing_of_the_payload_and_the_headers() {
        Message message = new Message(
                1,
                UUID.randomUUID(),
                new Key("order", "1"),
                "order.created",
                "{\"customer\": \"Anna Maria Schmidt\"}",
                "{\"iban\": \"in the payload\"}",
                null,
                Instant.EPOCH);
        SQLException refused =
                new SQLException("no permission for Anna Maria Schmidt: {\"iban\": \"in the payload\"}", "42501");

        var failure = AttemptResult.of(
                        new Fault(Outcome.UNAVAILABLE, refused, "sql:a", null, List.of(), false), message, NONE, false)
                .failure();

        assertThat(failure.reason())
                .startsWith("SQLException (no permission for •••")
                .doesNotContain("Anna", "4915");
    }

    @Test
    void a_connection_to_a_database_that_has_ended_is_explained() {
        Exception ended = new RuntimeException(
                "sql",
                new SQLException("An I/O error occurred while sending to the backend.", "08006", new EOFException()));

        var failure = AttemptResult.of(
                        new Fault(Outcome.RETRY, ended, "sql:a", null, List.of(), false), null, NONE, false)
                .failure();

        assertThat(failure.errorText()).isEqualTo("An I/O error occurred while sending to the backend.");
    }

    /** After other failures the receiver may have accepted the message, so no probe repeats it without counting. */
    @Test
    void a_failure_says_whether_the_destination_has_answered() {
        assertThat(isAnswered(answer(500))).isTrue();
        assertThat(isAnswered(new RuntimeException(answer(500)))).isTrue();
        assertThat(isAnswered(new SMTPSendFailedException("DATA", 450, "450 later", null, null, null, null)))
                .isTrue();
        assertThat(isAnswered(answer(504))).isFalse();
        assertThat(isAnswered(new NoAnswerException("Read timed out", new SocketTimeoutException())))
                .isFalse();
        assertThat(isAnswered(new SocketTimeoutException("Read timed out"))).isFalse();
        assertThat(isAnswered(new SQLException("lost during the commit", "08006")))
                .isFalse();
    }

    private static Exception answer(int status) {
        return new HttpOperationFailedException("http://there", status, "", null, Map.of(), null);
    }

    private static boolean isAnswered(Exception error) {
        return AttemptResult.of(new Fault(Outcome.RETRY, error, "", null, List.of(), false), null, NONE, false)
                .failure()
                .isAnswered();
    }
}
