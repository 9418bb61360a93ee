package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files to which messages are appended, of which a full disk or a crash has left only a part of the last one. */
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
        try (var template = camel.createProducerTemplate()) {
            Exchange sent = template.send(
                    "file:" + folder + "?fileName=lines&fileExist=Append&appendChars=" + options, exchange -> {
                        if (isOwn) {
                            OwnExchanges.mark(exchange);
                        }
                        exchange.getMessage().setBody(body);
                    });
            assertThat(sent.getException()).isNull();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return folder.resolve("lines");
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
}
