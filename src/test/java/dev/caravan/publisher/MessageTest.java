package dev.caravan.publisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.headers.ReservedNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
    private static final Message MESSAGE = Message.of("order", "1", "order.created", "{}");

    @Test
    void ids_are_of_version_7_and_begin_with_the_time() {
        UUID id = MessageIds.at(0x0123_4567_89AB_CDEFL, -1, -1);
        assertThat(id).hasToString("456789ab-cdef-7fff-bfff-ffffffffffff");
        assertThat(MessageIds.at(0x0000_4567_89AB_CDEFL, 0, 0)).hasToString("456789ab-cdef-7000-8000-000000000000");

        long before = System.currentTimeMillis();
        UUID next = MessageIds.next();
        assertThat(next.version()).isEqualTo(7);
        assertThat(next.variant()).isEqualTo(2);
        assertThat(next.getMostSignificantBits() >>> 16).isBetween(before, System.currentTimeMillis());
    }

    @Test
    void no_two_ids_are_the_same() {
        Set<UUID> ids = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            ids.add(MessageIds.next());
        }
        assertThat(ids).hasSize(100_000);
    }

    @Test
    void a_message_does_not_change() {
        Map<String, String> headers = new HashMap<>(Map.of("tenant", "blue"));
        Message message = new Message(MESSAGE.id(), "order", "1", "order.created", "{}", null, headers);
        byte[] bytes = {1, 2};
        Message binary = Message.ofBytes("order", "1", "order.created", bytes);
        bytes[0] = 9;
        binary.payloadBytes()[1] = 9;
        assertThat(binary.payloadBytes()).containsExactly(1, 2);
        assertThat(binary.withHeader("a", "b").withId(binary.id()).payloadBytes())
                .containsExactly(1, 2);
        assertThat(binary.withHeader("a", "b"))
                .isEqualTo(binary.withHeader("a", "b"))
                .isNotEqualTo(binary);
        headers.put("tenant", "red");
        assertThat(message.headers()).containsExactly(Map.entry("tenant", "blue"));
        assertThat(message.withHeader("tenant", "red").headers()).containsExactly(Map.entry("tenant", "red"));
        assertThat(message.headers()).containsExactly(Map.entry("tenant", "blue"));
        assertThat(message.withId(new UUID(1, 2)).id()).isEqualTo(new UUID(1, 2));
        assertThatThrownBy(() -> message.headers().put("a", "b")).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id",
                "Type",
                "AGGREGATE-ID",
                "aggregate-type",
                "created-at",
                "outbox-id",
                "CamelHttpUri",
                "cameL",
                "org.apache.camel.x",
                "kafka.KEY",
                "KAFKA.",
                "mail.smtp.host",
                "Mail.SMTPS.x",
                "mail.smtp",
                "kafka",
                "tenant",
                "x-id",
                "traceparent",
                "orgs",
                ""
            })
    void refuses_the_header_names_that_the_relay_would_not_deliver(String name) {
        if (ReservedNames.contains(name)) {
            assertThatThrownBy(() -> MESSAGE.withHeader(name, "x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("header " + name + " is reserved");
        } else {
            assertThat(MESSAGE.withHeader(name, "x").headers()).containsKey(name);
        }
    }

    @Test
    void a_missing_component_is_named() {
        assertThatThrownBy(() -> Message.of(null, "1", "t", "{}")).hasMessage("aggregateType");
        assertThatThrownBy(() -> Message.of("order", null, "t", "{}")).hasMessage("aggregateId");
        assertThatThrownBy(() -> Message.of("order", "1", null, "{}")).hasMessage("type");
        assertThatThrownBy(() -> MESSAGE.withHeader("tenant", null)).hasMessage("value of header tenant");
        assertThatThrownBy(() -> MESSAGE.withHeader(null, "x")).hasMessage("name of a header");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x"
            })
    void a_wrong_traceparent_is_refused(String traceparent) {
        assertThatThrownBy(() -> MESSAGE.withTraceparent(traceparent))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("W3C");
    }

    @Test
    void the_version_is_that_of_the_relay_everywhere_and_the_library_has_no_dependency() throws Exception {
        String pom = Files.readString(Path.of("publisher/pom.xml"));
        String version = first("<version>(.*?)</version>", Files.readString(Path.of("pom.xml")));
        assertThat(pom).doesNotContain("<dependency>");
        assertThat(first("<version>(.*?)</version>", pom)).isEqualTo(version);
        assertThat(first("<version>(.*?)</version>", Files.readString(Path.of("docs/publishing.md"))))
                .isEqualTo(version);
        assertThat(first("<caravan.version>(.*?)<", Files.readString(Path.of("examples/testing/pom.xml"))))
                .isEqualTo(version);
        try (Stream<Path> sources = Files.walk(Path.of("publisher/src/main/java"))) {
            assertThat(sources.filter(Files::isRegularFile)).isNotEmpty().allSatisfy(file -> assertThat(
                            Pattern.compile("(?m)^import (?:static )?(\\w+)\\.")
                                    .matcher(Files.readString(file))
                                    .results()
                                    .map(result -> result.group(1)))
                    .allMatch("java"::equals));
        }
    }

    private static String first(String pattern, String text) {
        var matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }
}
