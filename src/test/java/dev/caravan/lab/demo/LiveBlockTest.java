package dev.caravan.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveBlockTest {
    private static final String BLOCK = "\u001b[?7lone\ntwo\n\u001b[?7h";
    private static final String UP_TWO_AND_CLEAR = "\u001b[2A\u001b[J";

    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private final LiveBlock block = new LiveBlock(new PrintStream(terminal, true, StandardCharsets.UTF_8));

    @Test
    void a_block_replaces_the_one_before() {
        block.show(List.of("old", "lines"));
        terminal.reset();

        block.show(List.of("one", "two"));

        assertThat(terminal).hasToString(UP_TWO_AND_CLEAR + BLOCK);
    }

    @Test
    void a_log_line_appears_above_the_block() {
        block.show(List.of("one", "two"));
        terminal.reset();

        block.above().print("log line\n");

        assertThat(terminal).hasToString(UP_TWO_AND_CLEAR + "log line\n" + BLOCK);
    }
}
