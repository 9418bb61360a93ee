package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class PromptTest {
    private final StringWriter asked = new StringWriter();
    private final CommandLine command = Caravan.commandLine(RelayStart.REAL).setErr(new PrintWriter(asked, true));

    @ParameterizedTest
    @CsvSource({"y, true", "YES, true", "' y ', true", "n, false", "'', false", "yep, false"})
    void only_yes_means_yes(String answer, boolean agreed) {
        assertThat(new Prompt(true, new StringReader(answer + "\n"), command).confirmed("Retry all"))
                .isEqualTo(agreed);
        assertThat(asked.toString()).isEqualTo("Retry all? [y/N] ");
    }

    @Test
    void the_end_of_the_input_means_no() {
        assertThat(new Prompt(true, new StringReader(""), command).confirmed("Retry all"))
                .isFalse();
    }

    @Test
    void without_a_terminal_the_option_is_named() {
        assertThatThrownBy(() -> new Prompt(false, new StringReader("y\n"), command).confirmed("Retry all"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("--yes");
    }
}
