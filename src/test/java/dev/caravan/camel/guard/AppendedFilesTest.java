package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.camel.FieldException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files to which messages are written, also those of which a full disk or a crash has left only a part of the last message. */
class AppendedFilesTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();

    @TempDir
    private Path folder;

    @BeforeEach
    void start() {
        camel.getCamelContextExtension().registerEndpointCallback(new FileNames());
        camel.start();
    }

    @AfterEach
    void stop() {
        camel.stop();
    }

    private Path append(Object body, String options, boolean isOwn) {
        assertThat(send(body, "&fileExist=Append&appendChars=" + options, isOwn).getException())
                .isNull();
        return folder.resolve("lines");
    }

    private Exchange send(Object body, String options, boolean isOwn) {
        try (var template = camel.createProducerTemplate()) {
            String name = options.contains("fileName=") ? "" : "&fileName=lines";
            return template.send("file:" + folder + "?autoCreate=true" + name + options, exchange -> {
                if (isOwn) {
                    OwnExchanges.mark(exchange);
                }
                exchange.removeProperty(Exchange.CHARSET_NAME); // of the endpoint, which a route does not set
                exchange.getMessage().setBody(body);
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void left(String content, Charset charset) throws Exception {
        Files.writeString(folder.resolve("lines"), content, charset);
    }

    @ParameterizedTest
    @CsvSource({
        "'1\\n{\"to',  \\n,   UTF-8,    '1\\n{\"to\\n2\\n'",
        "'1',          \\n,   UTF-8,    '1\\n2\\n'",
        "'1\\n',       \\n,   UTF-8,    '1\\n2\\n'",
        "'',           \\n,   UTF-8,    '2\\n'",
        "'1;',         ';;',  UTF-8,    '1;;;2;;'",
        "'1\\r',       \\r\\n, UTF-8,   '1\\r\\r\\n2\\r\\n'",
        "'1\\n2',      \\n,   UTF-16LE, '1\\n2\\n2\\n'",
        "'1\\n',       \\n,   UTF-16LE, '1\\n2\\n'",
    })
    void a_message_begins_after_the_end_of_the_last_one(String left, String end, String charset, String expected)
            throws Exception {
        left(real(left), Charset.forName(charset));

        Path file = append("2", end + (charset.equals("UTF-8") ? "" : "&charset=" + charset), true);

        assertThat(Files.readString(file, Charset.forName(charset))).isEqualTo(real(expected));
    }

    private static String real(String text) {
        return text.replace("\\n", "\n").replace("\\r", "\r");
    }

    @Test
    void bytes_too() throws Exception {
        left("1\n{\"to", StandardCharsets.UTF_8);

        assertThat(append(new byte[] {'2'}, "\\n", true)).hasContent("1\n{\"to\n2\n");
    }

    @Test
    void another_exchange_is_appended_as_without_Caravan() throws Exception {
        left("1", StandardCharsets.UTF_8);

        assertThat(append("2", "\\n", false)).hasContent("12\n");
    }

    @Test
    void the_first_message_makes_the_file() {
        assertThat(append("2", "\\n", true)).hasContent("2\n");
    }

    /** Two steps with other options, each with an endpoint. */
    @Test
    void several_endpoints_append_to_one_file() throws Exception {
        List<String> lines =
                IntStream.range(0, 400).mapToObj(each -> "line " + each).toList();

        CompletableFuture.allOf(lines.stream()
                        .map(line -> CompletableFuture.runAsync(
                                () -> append(line, "\\n&bufferSize=" + (1_000 + line.hashCode() % 4), true)))
                        .toArray(CompletableFuture[]::new))
                .join();

        assertThat(Files.readAllLines(folder.resolve("lines"))).containsExactlyInAnyOrderElementsOf(lines);
    }

    @Test
    void several_endpoints_append_long_messages_to_one_file() throws Exception {
        List<String> lines = IntStream.range(0, 40)
                .mapToObj(each -> each + "-".repeat(400_000))
                .toList();

        CompletableFuture.allOf(lines.stream()
                        .map(line -> CompletableFuture.runAsync(
                                () -> send(line + "\n", "&fileExist=Append" + options(line.charAt(0)), true)))
                        .toArray(CompletableFuture[]::new))
                .join();

        assertThat(Files.readAllLines(folder.resolve("lines"))).containsExactlyInAnyOrderElementsOf(lines);
    }

    /** As a network folder that hangs. */
    @Test
    void a_file_that_hangs_delays_no_other_file() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        InputStream slow = new InputStream() {
            @Override
            public int read() {
                hangs.countDown();
                try {
                    ends.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return -1;
            }
        };
        CompletableFuture<?> hanging =
                CompletableFuture.runAsync(() -> send(slow, "&fileName=slow&fileExist=Append", true));
        hangs.await();

        CompletableFuture<?> others = CompletableFuture.runAsync(() -> IntStream.range(0, 300)
                .forEach(each -> send("1", "&fileName=other" + each + "&fileExist=Append", true)));

        try {
            assertThat(others).succeedsWithin(Duration.ofSeconds(30));
            assertThat(hanging).isNotDone();
        } finally {
            ends.countDown();
        }
        hanging.join();
    }

    private static String options(char kind) {
        return switch (kind % 3) {
            case 0 -> "&charset=utf-8";
            case 1 -> "";
            default -> "&bufferSize=1000";
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"Append", "Override"})
    void what_the_character_set_cannot_write_changes_no_file(String exist) throws Exception {
        left("1\n", StandardCharsets.UTF_8);
        for (Object body : List.of(
                "Šimić\n", Map.of("name", "Šimić"), "Šimić".getBytes(StandardCharsets.UTF_8), new TextNode("Šimić"))) {
            Exchange sent = send(body, "&charset=iso-8859-1&fileExist=" + exist, true);

            assertThat(sent.getException())
                    .isInstanceOf(FieldException.class)
                    .hasMessageContaining("charset=iso-8859-1")
                    .message()
                    .doesNotContain("im");
        }

        assertThat(folder.resolve("lines")).hasContent("1\n");
    }

    @Test
    void a_character_set_converts_text_and_damages_no_bytes() throws Exception {
        for (Object text : List.of("ü".getBytes(StandardCharsets.UTF_8), "ü")) {
            assertThat(send(text, "&charset=iso-8859-1", true).getException()).isNull();
            assertThat(Files.readAllBytes(folder.resolve("lines"))).isEqualTo(new byte[] {(byte) 'ü'});
        }
        byte[] bytes = {0, -1, -128};
        for (String charset : List.of("utf-8", "iso-8859-1")) {
            Exchange sent = send(bytes, "&charset=" + charset, true);
            assertThat(sent.getException()).isInstanceOf(FieldException.class).hasMessageContaining("without charset");
        }
        assertThat(Files.readAllBytes(folder.resolve("lines"))).isEqualTo(new byte[] {(byte) 'ü'});

        send(bytes, "", true);

        assertThat(Files.readAllBytes(folder.resolve("lines"))).isEqualTo(bytes);
    }

    @Test
    void a_value_of_json_is_written_as_json() {
        Object body = new TreeMap<>(Map.of("a", new BigDecimal("1.10"), "b", List.of("1, 2", true)));

        Exchange sent = send(body, "", true);

        assertThat(sent.getException()).isNull();
        assertThat(sent.getMessage().getBody()).isSameAs(body);
        assertThat(folder.resolve("lines")).hasContent("{\"a\":1.10,\"b\":[\"1, 2\",true]}");
    }
}
