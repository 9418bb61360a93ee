package dev.caravan.operate.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LastingProblemTest {
    private static final Optional<String> BUSY = Optional.of("a session holds it");

    private final AtomicLong now = new AtomicLong(-Duration.ofMinutes(2).toNanos());
    private final LastingProblem problem = new LastingProblem("Nothing is removed", now::get);
    private final WrittenLog log = WrittenLog.of(LastingProblem.class);

    @AfterEach
    void close() {
        log.close();
    }

    /** Returns all lines written so far. */
    private List<String> attempted(long secondsLater, Optional<String> reason) {
        now.addAndGet(Duration.ofSeconds(secondsLater).toNanos());
        problem.attempted(reason);
        return log.lines();
    }

    @Test
    void a_problem_is_reported_once_when_it_has_lasted_for_five_minutes() {
        assertThat(attempted(0, BUSY)).isEmpty();
        assertThat(attempted(299, BUSY)).isEmpty();

        assertThat(attempted(1, BUSY))
                .singleElement()
                .asString()
                .endsWith("Nothing is removed for 5 minutes: a session holds it. This is tried again");
        assertThat(attempted(3_600, BUSY)).hasSize(1);
    }

    @Test
    void the_time_counts_from_the_first_failure_after_a_success() {
        attempted(0, BUSY);
        attempted(299, Optional.empty());
        assertThat(attempted(1, BUSY)).isEmpty();
        assertThat(attempted(299, BUSY)).isEmpty();

        assertThat(attempted(1, BUSY)).hasSize(1);
    }

    @Test
    void a_problem_that_comes_back_is_reported_again() {
        attempted(0, BUSY);
        attempted(300, BUSY);
        attempted(1, Optional.empty());
        assertThat(attempted(1, BUSY)).hasSize(1);

        assertThat(attempted(300, BUSY)).hasSize(2);
    }
}
