package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangePaceTest {
    private static final long SECOND = 1_000_000_000L;

    private long nanos;

    private ChangePace pace(int perSecond) {
        return new ChangePace(perSecond, () -> nanos, passed -> nanos += passed);
    }

    @Test
    void changes_are_spread_over_the_seconds_they_need() throws InterruptedException {
        ChangePace pace = pace(100);

        for (int done = 0; done < 1_000; done += pace.chunk(1_000)) {
            assertThat(pace.await(() -> true)).isTrue();
            pace.record(pace.chunk(1_000));
        }

        assertThat(nanos).isBetween(9 * SECOND, 10 * SECOND);
    }

    @Test
    void without_a_rate_nothing_waits() throws InterruptedException {
        ChangePace pace = pace(0);

        pace.record(1_000_000);

        assertThat(pace.await(() -> true)).isTrue();
        assertThat(nanos).isZero();
    }

    @Test
    void an_interruption_ends_the_wait_soon() throws InterruptedException {
        ChangePace pace = pace(1);
        pace.record(3600);

        assertThat(pace.await(() -> nanos < SECOND)).isFalse();
        assertThat(nanos).isLessThan(2 * SECOND);
    }
}
