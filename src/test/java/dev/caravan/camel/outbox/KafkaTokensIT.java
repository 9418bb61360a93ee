package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.WrittenLog;
import dev.caravan.camel.kafka.KafkaClients;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server from which Kafka's client requests tokens of OAuth. All logins of a process wait for its answer. */
@Timeout(60)
class KafkaTokensIT {
    private static final String KAFKAS = "org.apache.kafka.common.security.oauthbearer.";

    private final AtomicLong written = new AtomicLong();

    @ParameterizedTest
    @ValueSource(strings = {"endless body", "endless error", "slow head", "slow body", "silence"})
    void an_answer_without_end_is_given_up(String kind) throws Exception {
        RawHttp tokens = RawHttp.start((request, out) -> {
            out.text(
                    switch (kind) {
                        case "endless error" -> "HTTP/1.1 500 No\r\n\r\n";
                        case "slow head" -> RawHttp.OK + "X-Slow: ";
                        case "silence" -> "";
                        default -> RawHttp.OK + "\r\n";
                    });
            String part = kind.startsWith("endless") ? "-".repeat(8192) : "-";
            while (true) {
                if (kind.equals("silence")) {
                    Thread.sleep(60_000);
                } else if (kind.startsWith("slow")) {
                    Thread.sleep(500);
                }
                out.text(part);
                written.addAndGet(part.length());
            }
        });

        assertThatThrownBy(() -> producer(tokens, "OAuthBearerLoginCallbackHandler"))
                .isInstanceOf(KafkaException.class);
        assertThat(written).hasValueLessThan(64 << 20);
    }

    @Test
    void a_client_that_is_refused_is_named_with_the_reason() throws Exception {
        RawHttp tokens = answering("401 No", "{\"error\": \"invalid_client\", \"error_description\": \"unknown\"}");

        try (WrittenLog log = WrittenLog.of(KAFKAS + "OAuthBearerLoginModule")) {
            assertThatThrownBy(() -> producer(tokens, "OAuthBearerLoginCallbackHandler"))
                    .isInstanceOf(KafkaException.class);

            assertThat(log.lines()).anyMatch(line -> line.contains("invalid_client"));
        }
        assertThat(tokens.requests()).hasSize(1);
    }

    @Test
    void another_server_to_which_an_answer_redirects_gets_nothing() throws Exception {
        RawHttp other = answering("200 OK", "{}");
        RawHttp tokens = RawHttp.answering("HTTP/1.1 302 Found\r\nLocation: " + other.url()
                + "/token\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");

        assertThatThrownBy(() -> producer(tokens, "OAuthBearerLoginCallbackHandler"))
                .isInstanceOf(KafkaException.class);
        assertThat(other.requests()).isEmpty();
    }

    /** Kafka's handler has two names. */
    @ParameterizedTest
    @ValueSource(strings = {"OAuthBearerLoginCallbackHandler", "secured.OAuthBearerLoginCallbackHandler"})
    void a_token_is_requested_as_by_kafka(String handler) throws Exception {
        RawHttp tokens = answering("200 OK", "{\"access_token\": \"" + token() + "\"}");

        producer(tokens, handler);

        RawHttp.Request request = tokens.requests().get(0);
        assertThat(request.line()).startsWith("POST /token ");
        assertThat(request.text()).isEqualTo("grant_type=client_credentials&scope=orders");
        assertThat(request.header("Authorization")).isEqualTo(Optional.of("Basic c2hvcDp0b3BzZWNyZXQ="));
    }

    private static RawHttp answering(String status, String json) throws IOException {
        return RawHttp.answering(
                "HTTP/1.1 " + status + "\r\nContent-Length: " + json.length() + "\r\nConnection: close\r\n\r\n" + json);
    }

    private static String token() {
        long now = Instant.now().getEpochSecond();
        String claims = "{\"sub\": \"shop\", \"iat\": " + now + ", \"exp\": " + (now + 3600) + "}";
        return base64("{\"alg\": \"none\"}") + "." + base64(claims) + "." + base64("unsigned");
    }

    private static String base64(String text) {
        return Base64.getEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Logs in, as each producer does when it is created. */
    private static void producer(RawHttp tokens, String handler) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", "localhost:1");
        settings.put("key.serializer", StringSerializer.class);
        settings.put("value.serializer", StringSerializer.class);
        settings.put("security.protocol", "SASL_PLAINTEXT");
        settings.put("sasl.mechanism", "OAUTHBEARER");
        settings.put("sasl.login.callback.handler.class", KAFKAS + handler);
        settings.put("sasl.oauthbearer.token.endpoint.url", tokens.url() + "/token");
        settings.put("sasl.login.retry.backoff.max.ms", 100L);
        settings.put(
                "sasl.jaas.config",
                KAFKAS
                        + "OAuthBearerLoginModule required clientId=\"shop\" clientSecret=\"topsecret\" scope=\"orders\";");
        new KafkaClients(KafkaTokensIT.class.getClassLoader())
                .getProducer(settings)
                .close(Duration.ZERO);
    }
}
