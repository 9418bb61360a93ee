package dev.caravan.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import net.jqwik.api.Example;

class RetryPolicyTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final RetryPolicy policy =
            new RetryPolicy(3, HOUR, new Backoff(HOUR, HOUR, new Random(1)), OnDead.CONTINUE);

    @Example
    void the_last_attempt_is_the_one_whose_number_is_set() {
        assertThat(policy.isExhausted(2, Duration.ZERO)).isFalse();
        assertThat(policy.isExhausted(3, Duration.ZERO)).isTrue();
    }

    @Example
    void a_message_that_fails_for_too_long_is_dead_whatever_the_number_of_attempts() {
        assertThat(policy.isExhausted(1, HOUR.minusMillis(1))).isFalse();
        assertThat(policy.isExhausted(1, HOUR)).isTrue();
    }
}
