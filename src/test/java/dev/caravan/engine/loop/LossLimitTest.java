package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LossLimitTest {
    private long now;
    private final LossLimit limit = new LossLimit(() -> now);

    @Test
    void ten_losses_in_a_minute_reach_the_limit_and_the_count_begins_anew() {
        for (int loss = 1; loss < LossLimit.LOSSES; loss++) {
            passSeconds(6);
            assertThat(limit.lost()).isFalse();
        }
        passSeconds(5);
        assertThat(limit.lost()).isTrue();
        assertThat(limit.lost()).isFalse();
    }

    @Test
    void losses_over_a_longer_time_do_not() {
        for (int loss = 0; loss < 5 * LossLimit.LOSSES; loss++) {
            passSeconds(7);
            assertThat(limit.lost()).isFalse();
        }
    }

    private void passSeconds(long seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }
}
