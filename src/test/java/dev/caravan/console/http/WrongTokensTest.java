package dev.caravan.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WrongTokensTest {
    private final AtomicLong clock = new AtomicLong();
    private final WrongTokens wrongTokens = new WrongTokens(clock::get);

    @Test
    void an_address_may_send_some_each_second_and_others_are_not_affected() {
        for (int i = 0; i < WrongTokens.PER_SECOND; i++) {
            assertThat(wrongTokens.take("192.0.2.1")).isTrue();
        }
        assertThat(wrongTokens.take("192.0.2.1")).isFalse();
        assertThat(wrongTokens.take("192.0.2.2")).isTrue();

        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(wrongTokens.take("192.0.2.1")).isTrue();
    }

    @Test
    void memory_is_bounded_whatever_addresses_come() {
        for (int i = 0; i < 3 * WrongTokens.ADDRESSES; i++) {
            wrongTokens.take("2001:db8::" + i);
        }

        assertThat(wrongTokens.addresses()).isEqualTo(WrongTokens.ADDRESSES);
    }
}
