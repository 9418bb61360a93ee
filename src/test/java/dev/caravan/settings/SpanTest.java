package dev.caravan.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.text.Span;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
