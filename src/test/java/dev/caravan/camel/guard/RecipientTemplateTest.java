package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecipientTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "${header.x}@shop.example | evil@evil.example,guest@shop.example",
                "Guest <${header.x}> | Guest <evil@evil.example>, <guest@shop.example>",
                "\"${header.x}\" <${header.y}> | \"a\" <evil@evil.example>, \"b\" <guest@shop.example>",
                "${header.x}@a.example, b@a.example | evil@evil.example, a@a.example, b@a.example",
                "smtp://a?subject=b,c&to=${header.x}@a.example | smtp://a?subject=b,c&to=evil@evil.example%2Ca@a.example",
            })
    void a_value_that_adds_a_recipient_is_refused(String text, String recipients) {
        RecipientTemplate template = RecipientTemplate.ofHeader(text).orElseThrow();

        assertThatThrownBy(() -> template.require(recipients))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("adds a recipient")
                .hasMessageNotContaining("evil");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "${header.x}@shop.example | guest@shop.example",
                "${header.x} | a@shop.example, b@shop.example",
                "\"${header.x}\" <${header.y}> | \"Guest, Any\" <guest@shop.example>",
                "smtp://a?subject=${header.x}&to=${header.y}@a.example | smtp://a?subject=b,c&to=guest@a.example",
            })
    void another_value_is_sent(String text, String recipients) {
        assertThatCode(() -> RecipientTemplate.ofHeader(text).orElseThrow().require(recipients))
                .doesNotThrowAnyException();
    }
}
