package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageLinesTest {

    @Test
    void lines_are_numbered_and_the_last_needs_no_end() throws IOException {
        assertThat(read("a\n\nb", 10)).containsExactly("1:a", "2:", "3:b");
        assertThat(read("a\n", 10)).containsExactly("1:a");
        assertThat(read("", 10)).isEmpty();
    }

    @Test
    void a_line_longer_than_the_buffer_is_whole() throws IOException {
        String big = "x".repeat(200_000);

        assertThat(read("a\n" + big + "\nb\n", 1_000_000)).containsExactly("1:a", "2:" + big, "3:b");
    }

    @Test
    void a_line_over_the_limit_is_skipped_and_the_next_is_read() throws IOException {
        assertThat(read("a\n" + "x".repeat(200_000) + "\nb", 1_000)).containsExactly("1:a", "2:too long", "3:b");
    }

    private static List<String> read(String text, int longest) throws IOException {
        MessageLines lines = new MessageLines(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), longest);
        List<String> read = new ArrayList<>();
        while (lines.advance()) {
            String line = lines.isTooLong() ? "too long" : new String(lines.bytes(), StandardCharsets.UTF_8);
            read.add(lines.number() + ":" + line);
        }
        return read;
    }
}
