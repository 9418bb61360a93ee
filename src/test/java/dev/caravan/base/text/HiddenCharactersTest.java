package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HiddenCharactersTest {
    @ParameterizedTest
    @CsvSource({
        "0, 8",
        "b, c",
        "e, 1f",
        "7f, 9f",
        "ad, ad",
        "61c, 61c",
        "200b, 200f",
        "2028, 202e",
        "2060, 206f",
        "d800, dfff",
        "fe00, fe0f",
        "feff, feff",
        "fff9, fffb",
        "ffff, ffff",
        "e0000, e007f",
        "e0100, e01ef"
    })
    void each_of_a_range_is_visible_and_equal_in_json(String first, String last) throws Exception {
        for (int character = Integer.parseInt(first, 16); character <= Integer.parseInt(last, 16); character++) {
            String text = "a" + Character.toString(character) + "b";
            String visible = "a␣U+" + String.format("%04X", character) + "b";
            assertThat(HiddenCharacters.shown(text)).isEqualTo(visible);
            assertThat(HiddenCharacters.shownOnLine(text)).isEqualTo(visible);
            String json = new ObjectMapper().writeValueAsString(text);
            assertThat(HiddenCharacters.shown(HiddenCharacters.escaped(json)))
                    .isEqualTo(HiddenCharacters.escaped(json))
                    .isASCII();
            assertThat(new ObjectMapper().readValue(HiddenCharacters.escaped(json), String.class))
                    .isEqualTo(text);
        }
    }

    @Test
    void what_is_shown_remains() {
        String text = "größe 漢字 😀 עברית العربية é ❤ $1 \\u202e";

        assertThat(HiddenCharacters.shown(text)).isEqualTo(text);
        assertThat(HiddenCharacters.escaped(text)).isEqualTo(text);
    }

    @Test
    void breaks_of_lines_remain_except_in_a_name_and_where_a_terminal_would_write_over_the_line() {
        assertThat(HiddenCharacters.shown("a\n\tb\r\nc\rd")).isEqualTo("a\n\tb\r\nc␣U+000Dd");
        assertThat(HiddenCharacters.shownOnLine("a\n\tb\r\nc\rd")).isEqualTo("a␣U+000A␣U+0009b␣U+000D␣U+000Ac␣U+000Dd");
    }
}
