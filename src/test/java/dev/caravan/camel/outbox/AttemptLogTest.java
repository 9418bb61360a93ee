package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AttemptLogTest {
    private static final Result FAILED = Result.unavailable(
            new Failure("java.io.IOException", "429", "", "", "the destination answered 429"), Duration.ZERO);

    private long now;
    private final AttemptLog log = new AttemptLog("orders", () -> now);

    @Test
    void a_destination_that_limits_the_rate_is_logged_every_ten_seconds_and_an_outage_that_lasts_is_logged() {
        try (WrittenLog written = WrittenLog.of(AttemptLog.class)) {
            for (int i = 0; i < 40; i++) {
                now = Duration.ofMillis(500L * i).toNanos();
                attempt(i % 2 == 0);
            }
            assertThat(written.lines())
                    .filteredOn(line -> line.contains("destination"))
                    .satisfiesExactly(
                            first -> assertThat(first).contains("unavailable").endsWith("as a probe"),
                            second -> assertThat(second).contains("available again"),
                            third -> assertThat(third).contains("It was unavailable 10 times since the last warning"),
                            fourth -> assertThat(fourth).contains("available again"));
            written.lines().clear();

            attempt(true);
            assertThat(written.lines()).noneMatch(line -> line.contains("unavailable"));
            now += Duration.ofSeconds(1).toNanos();
            attempt(true);
            attempt(true);
            assertThat(written.lines())
                    .filteredOn(line -> line.contains("is unavailable"))
                    .hasSize(1);
        }
    }

    @Test
    void an_outage_whose_next_probe_comes_after_the_ten_seconds_is_logged_at_once() {
        try (WrittenLog written = WrittenLog.of(AttemptLog.class)) {
            attempt(true);
            attempt(false);
            log.batchFailed(2, Result.unavailable(FAILED.failure(), Duration.ofHours(1)), true);
            attempt(false);
            assertThat(written.lines())
                    .filteredOn(line -> line.contains("destination"))
                    .satisfiesExactly(
                            first -> assertThat(first).contains("is unavailable"),
                            second -> assertThat(second).contains("available again"),
                            third ->
                                    assertThat(third).contains("is unavailable").contains("429"),
                            fourth -> assertThat(fourth).contains("available again"));
        }
    }

    private void attempt(boolean unavailable) {
        log.batchFailed(2, FAILED, unavailable);
    }
}
