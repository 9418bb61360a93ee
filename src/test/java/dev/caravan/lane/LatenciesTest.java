package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class LatenciesTest {
    private final Latencies latencies = new Latencies();

    @Property
    void the_99th_percentile_is_at_most_an_eighth_too_long(
            @ForAll @Size(min = 1, max = 500) List<@IntRange(max = Integer.MAX_VALUE) Integer> millis) {
        millis.forEach(latencies::add);
        int[] sorted = millis.stream().mapToInt(Integer::intValue).sorted().toArray();
        long exact = sorted[sorted.length - 1 - sorted.length / 100];

        assertThat((long) latencies.take99thPercentile().orElseThrow())
                .as("of %s", Arrays.toString(sorted))
                .isBetween(exact, exact + exact / 8);
    }

    @Example
    void it_starts_anew_each_time() {
        latencies.add(5_000);
        assertThat(latencies.take99thPercentile()).isPresent();
        assertThat(latencies.take99thPercentile()).isEmpty();

        latencies.add(3);
        assertThat(latencies.take99thPercentile()).hasValue(3);
    }

    @Example
    void times_beyond_all_bounds_count_as_the_longest_and_negative_ones_as_none() {
        latencies.add(Long.MAX_VALUE);
        assertThat(latencies.take99thPercentile()).hasValue(Integer.MAX_VALUE);
        latencies.add(-1);
        assertThat(latencies.take99thPercentile()).hasValue(0);
    }
}
