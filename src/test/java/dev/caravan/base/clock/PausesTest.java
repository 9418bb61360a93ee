package dev.caravan.base.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PausesTest {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    @Test
    void a_pause_doubles_up_to_the_longest() {
        assertThat(Pauses.doubled(Duration.ofSeconds(2), LONGEST)).isEqualTo(Duration.ofSeconds(4));
        assertThat(Pauses.doubled(Duration.ofSeconds(4), LONGEST)).isEqualTo(LONGEST);
        assertThat(Pauses.doubled(LONGEST, LONGEST)).isEqualTo(LONGEST);
    }
}
