package dev.caravan.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class BackoffTest {
    @Property
    void the_delay_grows_fourfold_up_to_the_longest_and_is_shortened_by_a_quarter_at_most(
            @ForAll @LongRange(min = 1, max = 100_000) long first,
            @ForAll @LongRange(min = 1, max = 100_000_000) long longest,
            @ForAll @IntRange(min = 1) int failures,
            @ForAll long seed) {
        Backoff backoff = new Backoff(Duration.ofMillis(first), Duration.ofMillis(longest), new Random(seed));
        double full = Math.min(first * Math.pow(4, Math.min(failures - 1, 15)), longest);

        long wait = backoff.after(failures).toMillis();

        assertThat((double) wait).isBetween(Math.floor(full * 0.75), full);
    }

    @Example
    void messages_that_failed_together_are_not_retried_together() {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1), new Random(1));

        assertThat(IntStream.range(0, 100).mapToObj(i -> backoff.after(3)).distinct())
                .hasSizeGreaterThan(50)
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(12), Duration.ofSeconds(16)));
    }

    @Example
    void a_first_delay_longer_than_the_longest_is_reduced_to_it() {
        Backoff backoff = new Backoff(Duration.ofMinutes(2), Duration.ofMinutes(1), new Random(1));

        assertThat(backoff.after(1)).isBetween(Duration.ofSeconds(45), Duration.ofMinutes(1));
    }

    @Example
    void ten_attempts_with_the_defaults_take_about_a_day() {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofDays(1), new Random(1));

        Duration all = IntStream.rangeClosed(1, 9).mapToObj(backoff::after).reduce(Duration.ZERO, Duration::plus);

        assertThat(all).isBetween(Duration.ofHours(18), Duration.ofHours(25));
    }

    @Example
    void a_delay_of_zero_is_allowed() {
        assertThat(new Backoff(Duration.ZERO, Duration.ZERO, new Random(1)).after(7))
                .isEqualTo(Duration.ZERO);
    }
}
