package dev.caravan.delivery;

import static dev.caravan.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.constraints.IntRange;

class ScheduleTest {
    private static final long WAIT = Duration.ofMillis(100).toNanos();
    private static final long NOTHING_MISSING = Long.MAX_VALUE;

    @Provide
    Arbitrary<List<Integer>> steps() {
        return Arbitraries.integers()
                .between(0, 27_719)
                .withDistribution(RandomDistribution.uniform())
                .withoutEdgeCases()
                .list()
                .ofMaxSize(200)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    @Property(tries = 500)
    void any_sequence_of_messages_and_outcomes_keeps_the_order_and_ends_with_everything_delivered(
            @ForAll Order order,
            @ForAll boolean pipelined,
            @ForAll @IntRange(min = 1, max = 6) int maxStarted,
            @ForAll boolean failing,
            @ForAll("steps") List<Integer> steps) {
        WatchedSchedule schedule = new WatchedSchedule(order, pipelined && order == Order.key, maxStarted);

        for (Iterator<Integer> step = steps.iterator(); step.hasNext(); ) {
            int number = step.next();
            int detail = number / 12;
            switch (number % 12) {
                case 0, 1, 2 -> schedule.addNew(Math.max(0, detail % 6 - 3), "" + detail / 6 % 3);
                case 3 -> schedule.addLate(detail, "" + detail % 3);
                case 4, 5, 6, 7 -> schedule.start();
                case 8, 9 -> schedule.end(detail, Outcome.DELIVERED);
                case 10 -> schedule.end(detail, failing ? Outcome.RETRY : Outcome.DELIVERED);
                default -> schedule.timePasses(detail % 120);
            }
            schedule.check();
        }
        schedule.finishAll();

        assertThat(schedule.repeatsWithoutFailure()).isZero();
    }

    @Example
    void a_key_waits_for_its_message_that_failed_while_other_keys_go_on() {
        Schedule schedule = schedule(Order.key, false, 8);
        schedule.add(message(1, "slow"));
        schedule.add(message(2, "slow"));
        schedule.add(message(3, "fast"));
        Delivery failing = schedule.next(0, NOTHING_MISSING);
        schedule.finished(failing, Outcome.RETRY, 0);

        assertThat(startAll(schedule, WAIT * 3 / 4 - 1)).containsExactly(3L);
        assertThat(schedule.blockedKeys()).isEqualTo(1);
        assertThat(schedule.untilNextRetry(0)).isBetween(WAIT * 3 / 4, WAIT);
        assertThat(startAll(schedule, WAIT)).containsExactly(1L);
        assertThat(failing.attempt()).isEqualTo(2);
    }

    @Example
    void with_pipelining_what_was_sent_after_a_failure_is_sent_again_after_it() {
        Schedule schedule = schedule(Order.key, true, 8);
        LongStream.rangeClosed(1, 3).forEach(id -> schedule.add(message(id, "a")));
        Delivery first = schedule.next(0, NOTHING_MISSING);
        Delivery second = schedule.next(0, NOTHING_MISSING);
        Delivery third = schedule.next(0, NOTHING_MISSING);
        assertThat(schedule.finished(third, Outcome.DELIVERED, 0)).isEmpty();
        assertThat(schedule.finished(second, Outcome.RETRY, 0)).isEmpty();
        assertThat(schedule.finished(first, Outcome.DELIVERED, 0)).containsExactly(first.message());
        assertThat(startAll(schedule, WAIT - WAIT / 4 - 1)).isEmpty();

        assertThat(startAll(schedule, WAIT)).as("the failed one goes alone").containsExactly(2L);
        assertThat(schedule.finished(second, Outcome.DELIVERED, WAIT)).containsExactly(second.message());
        assertThat(startAll(schedule, WAIT)).containsExactly(3L);
    }

    @Example
    void with_pipelining_the_messages_of_a_key_start_without_waiting_up_to_the_limit() {
        Schedule schedule = schedule(Order.key, true, 3);
        LongStream.rangeClosed(1, 5).forEach(id -> schedule.add(message(id, "a")));

        assertThat(startAll(schedule, 0)).containsExactly(1L, 2L, 3L);
    }

    @Example
    void order_strict_waits_at_a_missing_id_and_order_key_does_not() {
        Schedule strict = schedule(Order.strict, false, 8);
        Schedule key = schedule(Order.key, false, 8);
        strict.add(message(2, "a"));
        key.add(message(2, "a"));

        assertThat(strict.next(0, 1)).isNull();
        assertThat(key.next(0, 1)).isNotNull();
        assertThat(strict.next(0, 3)).isNotNull();
    }

    @Example
    void order_none_is_held_up_by_nothing() {
        Schedule schedule = schedule(Order.none, false, 8);
        LongStream.rangeClosed(1, 3).forEach(id -> schedule.add(message(id, "a")));
        schedule.finished(schedule.next(0, 1), Outcome.RETRY, 0);

        assertThat(startAll(schedule, 0)).containsExactly(2L, 3L);
    }

    @Example
    void a_message_found_late_starts_before_later_ones_that_were_ready() {
        Schedule schedule = schedule(Order.key, false, 8);
        schedule.add(message(5, "a"));
        schedule.add(message(3, "a"));

        assertThat(startAll(schedule, 0)).containsExactly(3L);
    }

    @Example
    void a_message_found_late_starts_first_although_a_failed_one_was_about_to_start_again() {
        Schedule schedule = schedule(Order.key, false, 1);
        schedule.add(message(5, "a"));
        schedule.finished(schedule.next(0, NOTHING_MISSING), Outcome.RETRY, 0);
        schedule.add(message(2, "b"));
        Delivery other = schedule.next(WAIT, NOTHING_MISSING);
        schedule.add(message(3, "a"));
        schedule.finished(other, Outcome.DELIVERED, WAIT);

        Delivery late = schedule.next(WAIT, NOTHING_MISSING);
        assertThat(late.message().id()).isEqualTo(3);
        schedule.finished(late, Outcome.DELIVERED, WAIT);
        assertThat(startAll(schedule, WAIT)).containsExactly(5L);
    }

    private static Schedule schedule(Order order, boolean pipelined, int maxStarted) {
        Duration wait = Duration.ofNanos(WAIT);
        return new Schedule(order, pipelined, maxStarted, new Backoff(wait, wait, new Random(1)));
    }

    private static List<Long> startAll(Schedule schedule, long now) {
        List<Long> started = new ArrayList<>();
        for (Delivery next = schedule.next(now, NOTHING_MISSING);
                next != null;
                next = schedule.next(now, NOTHING_MISSING)) {
            started.add(next.message().id());
        }
        return started;
    }
}
