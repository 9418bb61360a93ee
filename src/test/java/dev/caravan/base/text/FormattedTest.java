package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FormattedTest {
    @Test
    void a_line_has_no_character_that_controls_a_terminal() {
        assertThat(Formatted.line("a\u001b[31mb\u009b31mc\u0085d\u2028e\u202ef\u2067g\n", 100))
                .isEqualTo("a␣U+001B[31mb␣U+009B31mc␣U+0085d␣U+2028e␣U+202Ef␣U+2067g");
    }

    @Test
    void one_was_and_several_were() {
        assertThat(Formatted.were(0, "message")).isEqualTo("0 messages were");
        assertThat(Formatted.were(1, "message")).isEqualTo("1 message was");
        assertThat(Formatted.were(1_000, "message")).isEqualTo("1,000 messages were");
    }

    @Test
    void a_line_is_not_cut_within_a_character() {
        assertThat(Formatted.line("😀😀😀", 4)).isEqualTo("😀…");
        assertThat(Formatted.line("😀😀😀", 5)).isEqualTo("😀😀…");
        assertThat(Formatted.line("😀😀", 4)).isEqualTo("😀😀");
    }
}
