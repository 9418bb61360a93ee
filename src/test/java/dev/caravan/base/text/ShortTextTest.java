package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShortTextTest {
    @Test
    void control_characters_are_visible_also_those_beyond_ascii() {
        assertThat(ShortText.of("a\nb\u001b[31mc\u009b31md\u0085e"))
                .isEqualTo("a␣U+000Ab␣U+001B[31mc␣U+009B31md␣U+0085e");
        assertThat(ShortText.of("größe 漢字 😀")).isEqualTo("größe 漢字 😀");
    }
}
