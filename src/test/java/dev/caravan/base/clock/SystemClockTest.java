package dev.caravan.base.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SystemClockTest {
    private long nanos = 5_000_000_000_000L;
    private long millis = 1_790_000_000_000L;
    private final SystemClock clock = new SystemClock(() -> nanos, () -> millis);

    @Example
    void time_passes_as_on_the_monotonic_clock() {
        long before = clock.elapsed();

        passes(Duration.ofSeconds(7));

        assertThat(since(before)).isEqualTo(Duration.ofSeconds(7));
    }

    @Example
    void it_advances_while_the_machine_is_suspended() {
        long before = clock.elapsed();

        millis += Duration.ofHours(2).toMillis();
        passes(Duration.ofSeconds(1));

        assertThat(since(before)).isEqualTo(Duration.ofHours(2).plusSeconds(1));
        passes(Duration.ofSeconds(1));
        assertThat(since(before)).isEqualTo(Duration.ofHours(2).plusSeconds(2));
    }

    @Example
    void a_calendar_that_is_set_back_changes_nothing_and_hides_no_suspension_after_it() {
        long before = clock.elapsed();

        millis -= Duration.ofHours(5).toMillis();
        passes(Duration.ofSeconds(1));
        assertThat(since(before)).isEqualTo(Duration.ofSeconds(1));

        millis += Duration.ofMinutes(3).toMillis();
        assertThat(since(before)).isEqualTo(Duration.ofMinutes(3).plusSeconds(1));
    }

    @Example
    void small_steps_of_the_calendar_do_not_count_as_time() {
        long before = clock.elapsed();

        for (int i = 0; i < 1_000; i++) {
            millis += i % 2 == 0 ? 50 : -50;
            clock.elapsed();
        }

        assertThat(since(before)).isZero();
    }

    @Example
    void the_minimum_that_has_passed_excludes_a_suspension_until_it_is_noticed() {
        long before = clock.elapsed();
        millis += Duration.ofHours(2).toMillis();
        passes(Duration.ofSeconds(1));
        assertThat(clock.elapsedAtLeast() - before)
                .isEqualTo(Duration.ofSeconds(1).toNanos());

        clock.elapsed();

        assertThat(clock.elapsedAtLeast()).isEqualTo(clock.elapsed());
    }

    @Property
    void it_never_goes_back_and_never_behind_the_monotonic_clock(
            @ForAll java.util.List<@IntRange(min = -20_000, max = 20_000) Integer> steps) {
        long before = clock.elapsed();
        long last = before;
        long began = nanos;
        for (int step : steps) {
            millis += step;
            passes(Duration.ofMillis(3));
            assertThat(clock.elapsedAtLeast()).isGreaterThanOrEqualTo(last);
            long now = clock.elapsed();
            assertThat(now).isGreaterThanOrEqualTo(last);
            assertThat(now - before).isGreaterThanOrEqualTo(nanos - began);
            last = now;
        }
    }

    private void passes(Duration time) {
        nanos += time.toNanos();
        millis += time.toMillis();
    }

    private Duration since(long before) {
        return Duration.ofNanos(clock.elapsed() - before);
    }
}
