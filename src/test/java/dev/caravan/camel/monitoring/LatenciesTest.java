package dev.caravan.camel.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    private final Latencies latencies = new Latencies();

    @Test
    void a_latency_counts_below_the_first_bound_that_it_does_not_exceed() {
        LongStream.of(0, 5, 6, 1_000, 1_001, 3_600_000, 3_600_001).forEach(latencies::add);

        Families.Counted counted = latencies.counted(Families.Tags.NONE);

        assertThat(counted.counts()).containsExactly(2, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1);
        assertThat(counted.bounds()).hasSize(13).startsWith(0.005).endsWith(3600, Double.POSITIVE_INFINITY);
        assertThat(counted.sum()).isEqualTo(7202.013);
    }
}
