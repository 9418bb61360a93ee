package dev.caravan.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
    private final AtomicLong now = new AtomicLong();
    private final TokenBucket bucket = new TokenBucket(10, 3, now::get);

    @Test
    void a_burst_passes_and_then_the_number_per_second() {
        assertThat(taken(5)).isEqualTo(3);

        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(taken(5)).isEqualTo(1);

        now.addAndGet(TimeUnit.HOURS.toNanos(1));
        assertThat(taken(5)).isEqualTo(3);
    }

    @Test
    void a_check_takes_no_token() {
        taken(2);

        assertThat(bucket.isEmpty()).isFalse();
        assertThat(bucket.isEmpty()).isFalse();
        assertThat(taken(2)).isEqualTo(1);
        assertThat(bucket.isEmpty()).isTrue();
    }

    private int taken(int wanted) {
        int taken = 0;
        for (int i = 0; i < wanted; i++) {
            taken += bucket.take() ? 1 : 0;
        }
        return taken;
    }
}
