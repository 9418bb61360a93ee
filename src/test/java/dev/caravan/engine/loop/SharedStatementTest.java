package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A run that meets the end of another one is played within it: no thread is needed. */
class SharedStatementTest {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private long now;
    private final SharedStatement statement = new SharedStatement(() -> now);
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void it_runs_once_in_its_interval() {
        assertThat(run()).isFalse();
        pass(INTERVAL);
        assertThat(run()).isTrue();
        assertThat(run()).isFalse();
        pass(INTERVAL);
        assertThat(run()).isTrue();

        assertThat(runs).hasValue(2);
    }

    @Test
    void a_thread_that_meets_a_run_continues_without_it() {
        pass(INTERVAL);
        statement.runIfDue(INTERVAL, () -> {
            pass(INTERVAL.multipliedBy(2));
            assertThat(run()).isFalse();
        });

        assertThat(run()).as("the interval has passed since it began").isTrue();
    }

    @Test
    void a_run_that_hangs_does_not_stop_the_others() {
        pass(INTERVAL);
        statement.runIfDue(INTERVAL, () -> {
            pass(Duration.ofSeconds(5));
            assertThat(run()).isTrue();
        });

        assertThat(run()).isFalse();
    }

    @Test
    void a_run_that_fails_has_ended() {
        pass(INTERVAL);
        assertThatThrownBy(() -> statement.runIfDue(INTERVAL, () -> {
                    throw new IllegalStateException("fails");
                }))
                .hasMessage("fails");

        pass(INTERVAL);
        assertThat(run()).isTrue();
    }

    private boolean run() {
        return statement.runIfDue(INTERVAL, runs::incrementAndGet);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
