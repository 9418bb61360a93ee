package dev.caravan.sms;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SmsFormTest {
    @Test
    void everything_that_has_a_meaning_in_a_form_is_encoded() {
        assertThat(SmsForm.encode("+4915112345678", "+15005550006", "Grüße & 100 % = viel"))
                .isEqualTo("To=%2B4915112345678&From=%2B15005550006&Body=Gr%C3%BC%C3%9Fe+%26+100+%25+%3D+viel");
    }
}
