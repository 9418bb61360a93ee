package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class EndedSessionsTest {
    private static final Duration LONG = Duration.ofSeconds(5);

    private long now = 7;
    private final EndedSessions ended = new EndedSessions(() -> now);

    @Test
    void a_session_is_claimed_when_no_proof_of_it_can_be_valid_even_after_an_unnoticed_suspension() {
        ended.observed(1);
        passMillis(599);
        assertThat(ended.withoutProof()).isEmpty();

        passMillis(1);

        assertThat(ended.withoutProof()).containsExactly(1L);
    }

    @Test
    void the_wait_begins_with_the_first_observation() {
        ended.observed(1);
        passMillis(400);
        ended.observed(1);
        ended.observed(2);
        passMillis(200);

        assertThat(ended.withoutProof()).containsExactly(1L);
    }

    @Test
    void the_next_claim_is_due_when_a_wait_ends() {
        assertThat(ended.untilNext(LONG)).isEqualTo(LONG);
        ended.observed(1);
        passMillis(450);

        assertThat(ended.untilNext(LONG)).isEqualTo(Duration.ofMillis(151));
        assertThat(ended.untilNext(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(100));

        passMillis(150);
        assertThat(ended.untilNext(LONG)).isEqualTo(LONG);
    }

    @Test
    void an_old_observation_is_discarded_with_the_next_one() {
        ended.observed(1);
        passMillis(60_000);
        ended.observed(2);

        assertThat(ended.withoutProof()).isEmpty();
    }

    private void passMillis(long millis) {
        now += Duration.ofMillis(millis).toNanos();
    }
}
