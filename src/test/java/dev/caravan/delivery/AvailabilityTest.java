package dev.caravan.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;

class AvailabilityTest {
    private final Availability availability = new Availability();
    private long now = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos(); // a nano clock may overflow

    @Example
    void a_destination_that_is_away_is_probed_after_a_second_and_then_less_often_up_to_every_30_seconds() {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            availability.unavailable(now, Duration.ZERO);
            waits.add(Duration.ofNanos(availability.untilNextProbe(now)).toSeconds());
            now += availability.untilNextProbe(now);
        }

        assertThat(waits).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L, 30L);
    }

    @Example
    void one_message_at_a_time_probes_and_not_before_its_time() {
        availability.unavailable(now, Duration.ZERO);
        assertThat(availability.testMayStart(now, 0)).isFalse();
        pass(Duration.ofMillis(999));
        assertThat(availability.testMayStart(now, 0)).isFalse();
        pass(Duration.ofMillis(1));

        assertThat(availability.testMayStart(now, 1)).isFalse();
        assertThat(availability.testMayStart(now, 0)).isTrue();
        availability.testStarts();
        assertThat(availability.testMayStart(now, 1)).isFalse();
    }

    @Example
    void a_destination_that_says_when_to_come_back_is_left_alone_until_then() {
        availability.unavailable(now, Duration.ofSeconds(90));

        assertThat(availability.untilNextProbe(now))
                .isEqualTo(Duration.ofSeconds(90).toNanos());
    }

    @Example
    void a_shorter_wish_does_not_shorten_the_wait() {
        availability.unavailable(now, Duration.ofSeconds(90));
        pass(Duration.ofSeconds(1));
        availability.unavailable(now, Duration.ofMillis(1));

        assertThat(availability.untilNextProbe(now))
                .isEqualTo(Duration.ofSeconds(89).toNanos());
    }

    @Example
    void messages_that_were_on_their_way_together_are_one_failed_probe() {
        for (int i = 0; i < 50; i++) {
            availability.unavailable(now, Duration.ZERO);
        }
        assertThat(availability.untilNextProbe(now))
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        pass(Duration.ofSeconds(1));

        availability.unavailable(now, Duration.ZERO);

        assertThat(availability.untilNextProbe(now))
                .isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Example
    void one_message_that_arrives_ends_the_outage_and_the_next_one_begins_with_short_waits() {
        for (int i = 0; i < 5; i++) {
            availability.unavailable(now, Duration.ZERO);
            now += availability.untilNextProbe(now);
        }
        availability.answered(now);

        assertThat(availability.isUnavailable()).isFalse();
        assertThat(availability.untilNextProbe(now)).isZero();
        assertThat(availability.isTesting()).isFalse();
        assertThat(availability.recoveries()).isEqualTo(1);
        availability.unavailable(now, Duration.ZERO);
        assertThat(availability.untilNextProbe(now))
                .isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
