package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class IntakeFailuresTest {
    private long now;

    @Test
    void a_failure_that_differs_by_a_number_only_is_logged_once_a_minute_and_another_one_at_once() {
        IntakeFailures failures = new IntakeFailures("shop", () -> now);
        try (WrittenLog log = WrittenLog.of(IntakeFailures.class)) {
            failures.ofSource("(conn=54) Access denied.");
            failures.ofSource("(conn=55) Access denied.");
            assertThat(log.lines()).singleElement().asString().contains("(conn=54) Access denied.");

            now += Duration.ofMinutes(1).toNanos();
            failures.ofSource("(conn=56) Access denied.");
            assertThat(log.lines()).hasSize(2);

            failures.ofSource("(conn=57) Unknown table.");
            assertThat(log.lines()).hasSize(3);
        }
    }
}
