package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShortTextTest {
    @Test
    void control_characters_are_replaced_also_those_beyond_ascii() {
        assertThat(ShortText.of("a\nb\u001b[31mc\u009b31md\u0085e")).isEqualTo("a?b?[31mc?31md?e");
        assertThat(ShortText.of("größe 漢字 😀")).isEqualTo("größe 漢字 😀");
    }
}
