package dev.caravan.base.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.text.Span;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpanTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT-5S, 0s",
        "PT0.25S, 250ms",
        "PT59.9S, 59s",
        "PT72S, 1m 12s",
        "PT15M, 15m",
        "PT3661S, 1h 1m",
        "PT1H, 1h",
        "PT50H, 2d 2h",
        "PT72H, 3d"
    })
    void a_length_has_two_units_at_most(Duration length, String text) {
        assertThat(Span.text(length)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"500ms, PT0.5S", "5s, PT5S", "30m, PT30M", "1h30m, PT90M", "7d, PT168H", "1d2h3m4s5ms, PT26H3M4.005S"})
    void a_length_is_written_with_its_units_the_largest_first(String text, Duration length) {
        assertThat(Span.parse(text)).isEqualTo(length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "5 s", "-5s", "1m1h", "5w", "PT5S", "soon", "99999999999999999999s"})
    void anything_else_is_refused(String text) {
        assertThatThrownBy(() -> Span.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("such as 500ms");
    }
}
