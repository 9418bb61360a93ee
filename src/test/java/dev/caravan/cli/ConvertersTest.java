package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ConvertersTest {
    @ParameterizedTest
    @CsvSource({"30s, PT30S", "90m, PT90M", "2h, PT2H", "1d ago, PT24H", "2w, PT336H"})
    void an_age_counts_from_now(String text, Duration age) {
        assertThat(Converters.time(text)).isCloseTo(Instant.now().minus(age), within(5, ChronoUnit.SECONDS));
    }

    @Test
    void an_iso_time_without_a_zone_is_local() {
        assertThat(Converters.time("2026-03-01T12:00:00+02:00")).isEqualTo("2026-03-01T10:00:00Z");
        assertThat(Converters.time("2026-03-01T12:00:00Z")).isEqualTo("2026-03-01T12:00:00Z");
        Instant local = LocalDateTime.parse("2026-03-01T00:00:00")
                .atZone(ZoneId.systemDefault())
                .toInstant();
        assertThat(Converters.time("2026-03-01")).isEqualTo(local);
        assertThat(Converters.time("2026-03-01T00:00")).isEqualTo(local);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yesterday", "2x", "-1h", "", "2026-13-01"})
    void anything_else_is_refused(String text) {
        assertThatThrownBy(() -> Converters.time(text)).isInstanceOf(TypeConversionException.class);
    }
}
