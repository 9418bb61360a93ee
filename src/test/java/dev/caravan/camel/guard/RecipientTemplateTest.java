package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecipientTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "${header.x}@shop.example | evil@evil.example,guest",
                "Guest <${header.x}> | evil@evil.example>, <guest@shop.example",
                "\"${header.x}\" <${header.y}> | a\" <evil@evil.example>, \"b~guest@shop.example",
                "${header.x}@a.example, b@a.example | evil@evil.example, a",
            })
    void a_value_that_adds_a_recipient_is_refused(String text, String values) {
        assertThatThrownBy(() -> RecipientTemplate.require(AddressTemplateTest.filled(text, values)))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("adds a recipient")
                .hasMessageNotContaining("evil");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "${header.x}@shop.example | guest",
                "${header.x} | a@shop.example, b@shop.example",
                "\"${header.x}\" <${header.y}> | Guest, Any~guest@shop.example",
            })
    void another_value_is_sent(String text, String values) {
        assertThatCode(() -> RecipientTemplate.require(AddressTemplateTest.filled(text, values)))
                .doesNotThrowAnyException();
    }

    @Test
    void the_options_of_a_step_are_recipients() {
        assertThat(sent("b,c~guest")).isEqualTo("smtp://a?subject=b,c&to=guest@a.example");
        assertThatThrownBy(() -> sent("b~evil@evil.example,a")).hasMessageContaining("adds a recipient");
    }

    private static Object sent(String values) {
        return new AddressTemplate("", Set.of(), HttpAddress::whole)
                .sent(AddressTemplateTest.filled("smtp://a?subject=${header.x}&to=${header.y}@a.example", values));
    }
}
