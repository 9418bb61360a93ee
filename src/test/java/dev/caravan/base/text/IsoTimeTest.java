package dev.caravan.base.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IsoTimeTest {
    private final IsoTime time = new IsoTime();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-01-31T00:00:00Z",
                "2026-01-31T00:00:00.001Z",
                "2026-01-31T00:00:00.120Z",
                "2026-01-31T00:00:00.000012Z",
                "2026-01-31T23:59:59.999999Z",
                "2026-01-31T23:59:59.000000001Z",
                "1969-12-31T23:59:59.500Z",
                "0001-01-01T00:00:00Z",
                "-4712-01-01T00:00:00.000001Z",
                "+294276-12-31T23:59:59.999999Z"
            })
    void writesATimeAsInstantDoes(String text) {
        assertEquals(text, time.text(Instant.parse(text)));
    }

    @Test
    void writesTimesOfTheSameAndOfOtherSeconds() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            Instant instant = Instant.ofEpochSecond(random.nextInt(3), 1_000L * random.nextInt(1_000_000));
            assertEquals(instant.toString(), time.text(instant));
        }
    }
}
