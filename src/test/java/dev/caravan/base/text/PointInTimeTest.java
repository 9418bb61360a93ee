package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointInTimeTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "30s, PT30S",
        "90m, PT90M",
        "2h, PT2H",
        "1d ago, PT24H",
        "2w, PT336H",
        "1h30m, PT90M",
        "2d 3h ago, PT51H",
        "' 2 h ', PT2H"
    })
    void an_age_counts_from_now(String text, Duration age) {
        assertThat(parsed(text)).contains(NOW.minus(age));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-01T12:00:00+02:00, 2026-03-01T10:00:00Z",
        "2026-03-01T12:00:00Z, 2026-03-01T12:00:00Z",
        "2026-03-01T12:00Z, 2026-03-01T12:00:00Z",
        "2026-03-01 12:00:00 UTC, 2026-03-01T12:00:00Z",
        "2026-03-01 12:00, 2026-03-01T12:00:00Z",
        "2026-03-01, 2026-03-01T00:00:00Z"
    })
    void a_time_may_be_written_as_iso_or_as_the_console_shows_it(String text, Instant time) {
        assertThat(parsed(text)).contains(time);
    }

    @ParameterizedTest
    @CsvSource({"2026-03-01, 2026-02-28T23:00:00Z", "2026-07-01 12:00, 2026-07-01T10:00:00Z"})
    void a_time_without_a_zone_is_in_the_given_one(String text, Instant time) {
        assertThat(PointInTime.parse(text, NOW, ZoneId.of("Europe/Berlin"))).contains(time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "yesterday",
                "2x",
                "-1h",
                "",
                "ago",
                "2026-13-01",
                "1969-01-01",
                "99999-01-01T00:00:00Z",
                "999999w",
                "2h 5",
                "12:00"
            })
    void anything_else_is_refused(String text) {
        assertThat(parsed(text)).isEmpty();
    }

    private static Optional<Instant> parsed(String text) {
        return PointInTime.parse(text, NOW, ZoneOffset.UTC);
    }
}
