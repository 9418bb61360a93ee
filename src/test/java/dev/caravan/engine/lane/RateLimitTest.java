package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class RateLimitTest {
    private static final UnusedPermits NONE = new UnusedPermits(Duration.ZERO, true);

    private long now;

    @Example
    void permits_come_at_the_rate_and_the_burst_bounds_those_of_a_pause() {
        RateShare lane = limit("10/s", 3, 1).join(UnusedPermits.ALL);

        assertThat(lane.take(10)).as("the burst").isEqualTo(3);
        assertThat(lane.take(1)).isZero();
        pass(Duration.ofMillis(99));
        assertThat(lane.take(1)).isZero();
        pass(Duration.ofMillis(1));
        assertThat(lane.take(1)).isOne();
        pass(Duration.ofHours(1));
        assertThat(lane.take(10)).isEqualTo(3);
    }

    @Example
    void a_lane_that_gets_no_permit_waits_until_it_comes_and_others_behind_it_wait_longer() {
        RateLimit limit = limit("10/s", 2, 2);
        RateShare first = limit.join(NONE);
        RateShare second = limit.join(NONE);
        assertThat(first.take(1)).isZero();
        assertThat(second.take(1)).isZero();
        assertThat(first.untilPermit()).isEqualTo(Duration.ofMillis(100).toNanos());
        assertThat(second.untilPermit()).isEqualTo(Duration.ofMillis(200).toNanos());
        pass(Duration.ofMillis(100));

        assertThat(second.take(1)).as("the first one is next").isZero();
        first.stopWaiting();

        assertThat(second.take(1)).isOne();
        assertThat(second.isWaiting()).isFalse();
    }

    @Example
    void at_a_high_rate_a_lane_that_waits_gets_the_permits_of_ten_milliseconds_at_once() {
        RateShare lane = limit("2000/s", 200, 1).join(UnusedPermits.ALL);
        assertThat(lane.take(200)).isEqualTo(200);
        assertThat(lane.take(1)).isZero();
        assertThat(lane.untilPermit()).isEqualTo(Duration.ofMillis(10).toNanos());
        pass(Duration.ofMillis(9));
        assertThat(lane.take(1)).as("there are 18").isZero();

        pass(Duration.ofMillis(1));

        assertThat(lane.take(1)).isOne();
        assertThat(lane.take(30)).isEqualTo(19);
        assertThat(lane.take(1)).isZero();
    }

    @Example
    void a_permit_that_was_not_used_is_there_again() {
        RateShare lane = limit("1/h", 1, 1).join(UnusedPermits.ALL);
        assertThat(lane.take(1)).isOne();

        lane.giveBack(1);

        assertThat(lane.take(1)).isOne();
        assertThat(lane.take(1)).isZero();
    }

    @Example
    void a_wait_is_never_longer_than_a_second_because_lanes_move() {
        RateShare lane = limit("1/h", 1, 1).join(NONE);
        lane.take(1);

        assertThat(lane.untilPermit()).isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    @Example
    void one_message_in_an_hour_starts_every_hour_also_when_the_lane_moves_every_minute() {
        List<Long> starts = new ArrayList<>();
        UnusedPermits carried = UnusedPermits.ALL;
        for (int minute = 0; minute < 601; minute++) {
            RateShare lane = limit("1/h", 1, 1).join(carried);
            if (lane.take(1) == 1) {
                starts.add(Duration.ofNanos(now).toMinutes());
            }
            pass(Duration.ofMinutes(1));
            lane.leave();
            carried = new UnusedPermits(lane.use().orElseThrow().unused(), true);
        }

        assertThat(starts).hasSizeBetween(10, 11);
        for (int i = 1; i < starts.size(); i++) {
            assertThat(starts.get(i) - starts.get(i - 1)).isBetween(60L, 61L);
        }
    }

    @Example
    void a_slow_rate_also_makes_progress_when_relays_die_more_often_than_a_permit_comes() {
        UnusedPermits afterDeath = new UnusedPermits(Duration.ofMinutes(61), false);

        assertThat(limit("1/h", 1, 1).join(afterDeath).take(1)).isOne();
        assertThat(limit("50/s", 5, 1).join(afterDeath).take(1))
                .as("the dead relay may have used the permits that it reported")
                .isZero();
    }

    @Example
    void a_clock_that_is_set_back_gives_nothing_and_takes_nothing() {
        RateShare lane = limit("10/s", 1, 1).join(NONE);
        pass(Duration.ofMillis(50));
        lane.take(1);
        pass(Duration.ofDays(-1));
        assertThat(lane.take(1)).isZero();
        assertThat(lane.untilPermit()).isLessThanOrEqualTo(Duration.ofMillis(50).toNanos() + 1);

        pass(Duration.ofMillis(51));

        assertThat(lane.take(1)).isOne();
    }

    @Example
    void permits_from_the_future_after_the_clock_of_the_database_was_set_back_are_none() {
        RateShare lane = limit("10/s", 1, 1).join(new UnusedPermits(Duration.ofDays(-1), true));
        assertThat(lane.take(1)).isZero();

        pass(Duration.ofMillis(100));

        assertThat(lane.take(1)).isOne();
    }

    @Example
    void a_rate_beyond_the_machine_is_no_limit() {
        RateShare lane = limit("1000000/s", 100_000, 1).join(UnusedPermits.ALL);

        int taken = 0;
        for (int i = 0; i < 1_000; i++) {
            taken += lane.take(100);
            pass(Duration.ofMillis(1));
        }

        assertThat(taken).isEqualTo(100_000);
    }

    @Example
    void a_share_that_was_left_continues_when_its_lane_does() {
        RateLimit limit = limit("10/s", 4, 2);
        RateShare one = limit.join(UnusedPermits.ALL);
        RateShare other = limit.join(UnusedPermits.ALL);
        one.leave();
        one.leave();
        assertThat(other.take(10)).as("the burst of one lane").isEqualTo(2);

        assertThat(one.take(10)).isEqualTo(2);
        pass(Duration.ofMillis(1_000));
        assertThat(one.take(10)).as("both lanes again").isEqualTo(4);
    }

    @Example
    void attempts_are_measured_over_seconds_with_a_fast_rate_and_over_hours_with_a_slow_one() {
        RateShare fast = limit("50/s", 5, 1).join(UnusedPermits.ALL);
        RateShare slow = limit("1/h", 1, 1).join(UnusedPermits.ALL);
        slow.take(1);
        for (int i = 0; i < 600; i++) {
            fast.take(2);
            pass(Duration.ofMillis(100));
            if (i % 30 == 29) {
                fast.use();
                slow.use();
            }
        }

        assertThat(fast.use().orElseThrow().perSecond()).isCloseTo(20, within(0.5));
        assertThat(slow.use().orElseThrow().perSecond() * 3600).isBetween(0.0, 1.0);
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(3));
            fast.use();
        }
        RateShare.Use idle = fast.use().orElseThrow();
        pass(Duration.ofSeconds(3));
        assertThat(fast.use()).as("an idle lane is not written again").contains(idle);
    }

    /**
     * Relays join, leave and die at random while they take all permits they get. In no period do they take more than the burst and
     * what the rate allows, and if none of them dies, no permit is lost except those of the burst.
     */
    @Property
    void relays_together_never_exceed_rate_and_burst_however_lanes_move(
            @ForAll @IntRange(min = 1, max = 6) int lanes,
            @ForAll @IntRange(min = 1, max = 200) int perSecond,
            @ForAll @IntRange(min = 0, max = 10) int moreBurst,
            @ForAll long seed,
            @ForAll boolean dying) {
        Random random = new Random(seed);
        int burst = lanes + moreBurst;
        Rate rate = Rate.parse(perSecond + "/s");
        RateLimit[] relays = {limit(rate, burst, lanes), limit(rate, burst, lanes), limit(rate, burst, lanes)};
        RateShare[] shares = new RateShare[lanes];
        long[] since = new long[lanes];
        boolean[] exact = new boolean[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            shares[lane] = relays[0].join(UnusedPermits.ALL);
        }
        List<Long> starts = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            pass(Duration.ofMillis(random.nextInt(20)));
            int lane = random.nextInt(lanes);
            if (random.nextInt(10) == 0) {
                if (shares[lane] == null) {
                    Duration unused = Duration.ofNanos(now - since[lane]);
                    shares[lane] = relays[random.nextInt(3)].join(new UnusedPermits(unused, exact[lane]));
                } else {
                    exact[lane] = !dying || random.nextBoolean();
                    since[lane] =
                            now - shares[lane].use().orElseThrow().unused().toNanos();
                    shares[lane].leave();
                    if (exact[lane]) {
                        since[lane] =
                                now - shares[lane].use().orElseThrow().unused().toNanos();
                    }
                    shares[lane] = null;
                }
            } else if (shares[lane] != null) {
                int taken = shares[lane].take(1 + random.nextInt(3));
                for (int i = 0; i < taken; i++) {
                    starts.add(now);
                }
            }
        }
        for (int first = 0; first < starts.size(); first += 7) {
            for (int last = first; last < starts.size(); last += 5) {
                double seconds = (starts.get(last) - starts.get(first)) / 1e9;
                assertThat(last - first + 1).isLessThanOrEqualTo((int) Math.floor(burst + perSecond * seconds + 1e-6));
            }
        }
    }

    private RateLimit limit(String rate, int burst, int lanes) {
        return limit(Rate.parse(rate), burst, lanes);
    }

    private RateLimit limit(Rate rate, int burst, int lanes) {
        return new RateLimit(rate, burst, lanes, () -> now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
