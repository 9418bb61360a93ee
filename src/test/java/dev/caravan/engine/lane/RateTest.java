package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateTest {
    @ParameterizedTest
    @CsvSource({"50/s, 50", "120/min, 2", "3600/h, 1", "1000000/s, 1000000"})
    void a_rate_has_a_number_and_a_unit(String text, double perSecond) {
        assertThat(Rate.parse(text).perSecond()).isEqualTo(perSecond);
        assertThat(Rate.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "50", "50/", "/s", "-1/s", "1.5/s", "50/m", "50/d", "50 / s", "50/S", "1e3/s", "9999999999/s"
            })
    void another_form_is_refused(String text) {
        assertThatThrownBy(() -> Rate.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "' is not a rate such as 50/s, 100/min or 500/h");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0/s", "1000001/s", "999999999/h"})
    void a_number_out_of_range_is_refused(String text) {
        assertThatThrownBy(() -> Rate.parse(text)).hasMessageContaining("must be between 1 and 1000000");
    }

    @ParameterizedTest
    @CsvSource({
        "50/s, 23.4, 23/s",
        "50/s, 0, 0/s",
        "50/s, 2.34, 2.3/s",
        "6/min, 0.05, 3/min",
        "1/h, 0.0001, 0.36/h",
        "1/h, 0, 0/h"
    })
    void a_measured_rate_has_the_same_unit(String rate, double perSecond, String text) {
        assertThat(Rate.parse(rate).measured(perSecond)).isEqualTo(text);
    }
}
