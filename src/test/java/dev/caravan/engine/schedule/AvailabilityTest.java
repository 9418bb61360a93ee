package dev.caravan.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;

class AvailabilityTest {
    private final Availability availability = new Availability();
    private long now = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos(); // a nano clock may overflow

    @Example
    void an_unavailable_destination_is_probed_after_a_second_and_then_less_often_up_to_every_30_seconds() {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            availability.unavailable(now, Duration.ZERO);
            waits.add(Duration.ofNanos(availability.untilNextProbe(now)).toSeconds());
            now += availability.untilNextProbe(now);
        }

        assertThat(waits).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L, 30L);
    }

    @Example
    void one_message_at_a_time_probes_and_only_when_a_probe_is_due() {
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
    void no_probe_starts_before_the_time_that_the_destination_named() {
        availability.unavailable(now, Duration.ofSeconds(90));

        assertThat(availability.untilNextProbe(now))
                .isEqualTo(Duration.ofSeconds(90).toNanos());
    }

    @Example
    void a_shorter_retry_after_does_not_shorten_the_delay() {
        availability.unavailable(now, Duration.ofSeconds(90));
        pass(Duration.ofSeconds(1));
        availability.unavailable(now, Duration.ofMillis(1));

        assertThat(availability.untilNextProbe(now))
                .isEqualTo(Duration.ofSeconds(89).toNanos());
    }

    @Example
    void messages_that_ran_at_the_same_time_are_one_failed_probe() {
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
    void one_delivered_message_ends_the_outage_and_the_next_one_begins_with_short_delays() {
        for (int i = 0; i < 5; i++) {
            availability.unavailable(now, Duration.ZERO);
            now += availability.untilNextProbe(now);
        }
        availability.delivered(now, false);

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
