package dev.caravan.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class PhoneNumberTest {
    @ParameterizedTest
    @ValueSource(strings = {"+15550100001", "+4917012345678", "+1234567", "+123456789012345", " +15550100001 "})
    void a_number_in_international_form_is_taken(String text) {
        assertThat(PhoneNumber.one(text)).isEqualTo(text.strip());
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "+",
                "15550100001",
                "0015550100001",
                "+05550100001",
                "+155501",
                "+1234567890123456",
                "+15550100001,+15550100002",
                "+15550100001;+15550100002",
                "+15550100001 +15550100002",
                "+15550100001\n+15550100002",
                "+1 555 0100001",
                "+1555010000\u0661",
                "+15550100001&From=+15550100002",
                "[\"+15550100001\"]",
            })
    void anything_else_is_refused_without_quoting_it(String text) {
        assertThatThrownBy(() -> PhoneNumber.one(text))
                .isInstanceOf(InvalidNumberException.class)
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("5550100001"));
    }
}
