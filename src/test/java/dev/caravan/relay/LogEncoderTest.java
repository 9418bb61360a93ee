package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.internals.Sender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

/** The encoder as logback.xml configures it. */
class LogEncoderTest {
    private final LoggerContext logging = new LoggerContext();

    private LogEncoder encoder(String format) throws Exception {
        logging.putProperty("LOG_FORMAT", format);
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(logging);
        configurator.doConfigure(LogEncoderTest.class.getResource("/logback.xml"));
        var appender = (OutputStreamAppender<ILoggingEvent>)
                logging.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("console");
        return (LogEncoder) appender.getEncoder();
    }

    private LoggingEvent event(String message, Throwable thrown, Map<String, String> mdc) {
        var event = new LoggingEvent("a", logging.getLogger("dev.caravan.Some"), Level.WARN, message, thrown, null);
        event.setInstant(Instant.parse("2026-01-31T10:00:00.123Z"));
        event.setMDCPropertyMap(mdc);
        event.setThreadName("main");
        return event;
    }

    private static String line(LogEncoder encoder, LoggingEvent event) {
        String line = new String(encoder.encode(event), StandardCharsets.UTF_8);
        assertThat(line).endsWith("\n");
        return line.substring(0, line.length() - 1);
    }

    @Test
    void what_would_control_a_terminal_or_reverse_a_text_is_visible() throws Exception {
        LoggingEvent event = event("a\u001b[2Jb\u202ec\rd", null, Map.of());

        LogEncoder encoder = encoder("text");
        assertThat(line(encoder, event)).endsWith("a␣U+001B[2Jb␣U+202Ec␣U+000Dd");
        encoder.setFormat("json");
        assertThat(line(encoder, event)).contains("a\\u001B[2Jb\\u202ec\\rd");
    }

    /** A route may compute the topic from a message. */
    @Test
    void the_client_of_kafka_does_not_say_to_which_topic_it_sends_again() throws Exception {
        encoder("text");

        assertThat(logging.getLogger(Sender.class).isWarnEnabled()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void a_login_of_an_address_is_hidden(String format) throws Exception {
        String line = line(
                encoder(format),
                event("jdbc:postgresql://h/app/?user=joe&password=one1 https://joe:one1@h/x", null, Map.of()));

        assertThat(line).doesNotContain("one1").contains("https://•••@h/x");
    }

    /** It quotes what it cannot read of a URL, and throws an exception too. */
    @Test
    void the_driver_of_postgres_logs_no_warning() throws Exception {
        encoder("text");

        assertThat(logging.getLogger(Driver.class).isWarnEnabled()).isFalse();
    }

    @Test
    void a_name_with_line_breaks_does_not_look_like_another_event() throws Exception {
        String line = line(encoder("text"), event("a\n2026-01-31 ERROR b\r\n\n- c", null, Map.of()));

        assertThat(line).endsWith(" - a\n    2026-01-31 ERROR b\r\n\n    - c");
    }

    @Test
    void json_is_one_object_on_a_line_whatever_the_message_contains() throws Exception {
        LoggingEvent event = event(
                "two\nlines \"quoted\" \u00fc shop://a?b=RAW(hid)den)",
                null,
                Map.of("subscription", "orders", "messageId", "4711"));

        String line = line(encoder("json"), event);

        assertThat(line)
                .isEqualTo("{\"time\":\"2026-01-31T10:00:00.123Z\",\"level\":\"WARN\",\"logger\":\"dev.caravan.Some\","
                        + "\"thread\":\"main\","
                        + "\"message\":\"two\\nlines \\\"quoted\\\" \u00fc shop://a?b=RAW(\u2022\u2022\u2022)\","
                        + "\"mdc\":{\"messageId\":\"4711\",\"subscription\":\"orders\"}}");
    }

    @Test
    void a_stack_trace_is_on_the_same_line_without_the_texts_of_its_causes() throws Exception {
        Throwable thrown = new IllegalStateException("k://x?y=RAW(secret)", new RuntimeException("payload"));

        String line = line(encoder("json"), event("failed", thrown, Map.of()));

        JsonNode json = new ObjectMapper().readTree(line);
        assertThat(line).doesNotContain("\n", "payload", "secret");
        assertThat(json.path("stackTrace").asText())
                .startsWith("java.lang.IllegalStateException: k://x?y=RAW(\u2022\u2022\u2022)\n\tat dev.caravan.")
                .contains("\nCaused by: java.lang.RuntimeException");
        assertThat(json.has("mdc")).isFalse();
    }

    @Test
    void text_is_the_default_and_the_format_can_be_changed() throws Exception {
        LogEncoder encoder = encoder("");

        assertThat(line(encoder, event("a", null, Map.of()))).endsWith("WARN  Some - a");
        encoder.setFormat("json");
        assertThat(line(encoder, event("a", null, Map.of()))).startsWith("{\"time\"");
        encoder.setFormat("text");
        assertThat(line(encoder, event("a", null, Map.of()))).endsWith("WARN  Some - a");
    }

    /** They log headers with logins, and bodies. */
    @Test
    void a_log_at_debug_has_nothing_that_clients_of_destinations_send() throws Exception {
        logging.putProperty("LOG_LEVEL", "DEBUG");
        encoder("");

        assertThat(logging.getLogger("dev.caravan.Some").isDebugEnabled()).isTrue();
        assertThat(List.of(
                        "org.apache.hc.client5.http.wire",
                        "org.apache.hc.client5.http.headers",
                        "org.apache.http.wire",
                        "org.apache.qpid.jms.provider.amqp.FRAMES",
                        "org.mongodb.driver.protocol.command",
                        "org.springframework.jdbc.core.JdbcTemplate",
                        "org.springframework.jdbc.core.StatementCreatorUtils",
                        "software.amazon.awssdk.request"))
                .noneMatch(client -> logging.getLogger(client).isDebugEnabled());
    }
}
