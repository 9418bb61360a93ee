package dev.caravan.operate.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {
    @ParameterizedTest
    @CsvSource({
        "90s, PT90S, 90s",
        "90m, PT90M, 90m",
        "48h, PT48H, 2d",
        "7d, PT168H, 7d",
        "1d12h, PT36H, 36h",
        "0s, PT0S, 0s"
    })
    void an_age_is_a_number_and_a_unit(String text, Duration age, String shown) {
        assertThat(Retention.parse(text)).isEqualTo(Retention.of(age)).hasToString(shown);
    }

    @Test
    void off_keeps_everything() {
        assertThat(Retention.parse("off")).isEqualTo(Retention.UNLIMITED).hasToString("off");
    }

    @Test
    void without_a_setting_it_is_a_week() {
        assertThat(Retention.from(Settings.load(Path.of("none.properties"), Map.of())))
                .isEqualTo(Retention.of(Duration.ofDays(7)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "d", "-7d", "7 days", "never", "P7D", "9999999d", "4w"})
    void anything_else_is_refused_with_the_forms_that_can_be_used(String text) {
        assertThatThrownBy(() ->
                        Retention.from(Settings.load(Path.of("none.properties"), Map.of("caravan.retention", text))))
                .isInstanceOf(SettingsException.class)
                .hasMessage("caravan.retention must be an age such as 12h, 7d or 30d, or off, got " + text);
    }
}
