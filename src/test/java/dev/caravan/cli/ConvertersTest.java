package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class ConvertersTest {
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

    @Test
    void anything_else_is_refused() {
        assertThatThrownBy(() -> Converters.time("yesterday")).isInstanceOf(TypeConversionException.class);
    }
}
