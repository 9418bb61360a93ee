package dev.caravan.engine.schedule;

import static dev.caravan.engine.schedule.TestMessages.AWAY;
import static dev.caravan.engine.schedule.TestMessages.FAILED;
import static dev.caravan.engine.schedule.TestMessages.POISON;
import static dev.caravan.engine.schedule.TestMessages.fresh;
import static dev.caravan.engine.schedule.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Choices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class ScheduleTest {
    private static final Result UNANSWERED =
            Result.retry(new Failure("java.net.SocketTimeoutException", "no answer", "", "", "none"));
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final Result BUSY = Result.unavailable(AWAY.failure(), Duration.ofHours(1));
    private static final long NOTHING_MISSING = Long.MAX_VALUE;

    @Provide
    Arbitrary<List<Integer>> steps() {
        return Choices.lists(0, 200);
    }

    @Property
    void any_sequence_of_messages_and_outcomes_keeps_the_order_and_ends_with_everything_delivered_or_dead(
            @ForAll Order order,
            @ForAll boolean pipelined,
            @ForAll @IntRange(min = 1, max = 6) int maxStarted,
            @ForAll boolean failing,
            @ForAll OnDead onDead,
            @ForAll("steps") List<Integer> steps) {
        WatchedSchedule schedule = new WatchedSchedule(order, pipelined && order == Order.key, maxStarted, onDead);

        for (Iterator<Integer> step = steps.iterator(); step.hasNext(); ) {
            int number = step.next();
            int detail = number / 12;
            switch (number % 12) {
                case 0, 1, 2 -> schedule.addNew(Math.max(0, detail % 6 - 3), "" + detail / 6 % 3);
                case 3 -> schedule.addLate(detail, "" + detail % 3);
                case 4, 5, 6, 7 -> schedule.start();
                case 8, 9 -> schedule.end(detail, Result.DELIVERED);
                case 10 -> schedule.end(detail, failing ? failure(detail) : Result.DELIVERED);
                default -> {
                    schedule.timePasses(detail % 1_200);
                    schedule.retry();
                }
            }
            schedule.check();
        }
        schedule.finishAll();

        assertThat(schedule.repeatsWithoutFailure()).isZero();
    }

    private static Result failure(int detail) {
        return switch (detail % 4) {
            case 0 -> AWAY;
            case 1 -> POISON;
            case 2 -> UNANSWERED;
            default -> FAILED;
        };
    }

    @Example
    void a_failed_message_leaves_with_those_behind_it_while_other_keys_continue() {
        Schedule schedule = schedule(Order.key, false, 8);
        schedule.add(fresh(1, "slow"));
        schedule.add(fresh(2, "slow"));
        schedule.add(fresh(3, "fast"));

        Ended ended = schedule.finished(schedule.next(0, NOTHING_MISSING), FAILED, 0);

        assertThat(ended.failed().get(0).message().id()).isEqualTo(1);
        assertThat(ended.failed().get(0).isCounted()).isTrue();
        assertThat(ids(ended.blocked())).containsExactly(2L);
        assertThat(schedule.size()).isEqualTo(1);
        assertThat(startAll(schedule, 0)).containsExactly(3L);
    }

    @Example
    void those_behind_a_dead_message_are_delivered_if_dead_letters_do_not_block() {
        Schedule schedule = schedule(Order.key, false, 8);
        schedule.add(fresh(1, "a"));
        schedule.add(fresh(2, "a"));

        Ended ended = schedule.finished(schedule.next(0, NOTHING_MISSING), POISON, 0);

        assertThat(ids(ended.dead())).containsExactly(1L);
        assertThat(ended.blocked()).isEmpty();
        assertThat(startAll(schedule, 0)).containsExactly(2L);
    }

    @Example
    void those_behind_a_dead_message_are_blocked_if_dead_letters_block() {
        Schedule schedule = new Schedule(Order.key, false, 8, OnDead.BLOCK);
        schedule.add(fresh(1, "a"));
        schedule.add(fresh(2, "a"));

        Ended ended = schedule.finished(schedule.next(0, NOTHING_MISSING), POISON, 0);

        assertThat(ids(ended.dead())).containsExactly(1L);
        assertThat(ids(ended.blocked())).containsExactly(2L);
        assertThat(schedule.size()).isZero();
    }

    @Example
    void with_pipelining_a_failed_message_behind_a_dead_one_that_blocks_is_not_lost() {
        Schedule schedule = new Schedule(Order.key, true, 8, OnDead.BLOCK);
        LongStream.rangeClosed(1, 3).forEach(id -> schedule.add(fresh(id, "a")));
        Delivery first = schedule.next(0, NOTHING_MISSING);
        Delivery second = schedule.next(0, NOTHING_MISSING);
        assertThat(schedule.finished(second, FAILED, 0).isEmpty()).isTrue();

        Ended ended = schedule.finished(first, POISON, 0);

        assertThat(ids(ended.dead())).containsExactly(1L);
        assertThat(ids(ended.blocked())).containsExactly(2L, 3L);
        assertThat(schedule.size()).isZero();
    }

    @Example
    void in_order_strict_those_behind_a_failed_message_stay_and_wait_for_missing_ids() {
        Schedule schedule = schedule(Order.strict, false, 8);
        schedule.add(fresh(1, "a"));
        schedule.add(fresh(2, "b"));

        Ended ended = schedule.finished(schedule.next(0, NOTHING_MISSING), FAILED, 0);
        assertThat(ended.failed().get(0).message().id()).isEqualTo(1);
        assertThat(ended.blocked()).isEmpty();
        assertThat(schedule.next(0, 0)).as("behind the gate").isNull();

        schedule.add(Delivery.stored(message(1, "a"), 1, 1, Duration.ZERO));
        Delivery again = schedule.next(0, 0);
        assertThat(again.message().id()).isEqualTo(1);
        assertThat(again.attempt()).isEqualTo(2);
        schedule.finished(again, Result.DELIVERED, 0);
        assertThat(startAll(schedule, 0)).containsExactly(2L);
    }

    @Example
    void a_message_that_finds_the_destination_unavailable_stays_and_another_one_probes() {
        Schedule schedule = schedule(Order.key, false, 8);
        schedule.add(fresh(1, "a"));
        schedule.add(fresh(2, "b"));

        Ended ended = schedule.finished(schedule.next(0, NOTHING_MISSING), AWAY, 0);

        assertThat(ended.isEmpty()).isTrue();
        assertThat(schedule.size()).isEqualTo(2);
        assertThat(schedule.untilNextProbe(0)).isEqualTo(SECOND);
        assertThat(startAll(schedule, SECOND - 1)).isEmpty();
        assertThat(startAll(schedule, SECOND)).as("one probe, another message").containsExactly(2L);
    }

    @Example
    void all_continue_at_once_when_a_probe_is_delivered() {
        Schedule schedule = schedule(Order.none, false, 8);
        LongStream.rangeClosed(1, 5).forEach(id -> schedule.add(fresh(id, "a")));
        schedule.finished(schedule.next(0, NOTHING_MISSING), AWAY, 0);

        schedule.finished(schedule.next(SECOND, NOTHING_MISSING), Result.DELIVERED, SECOND);

        assertThat(startAll(schedule, SECOND)).containsExactly(1L, 2L, 3L, 4L);
    }

    @Example
    void a_message_that_finds_the_destination_unavailable_in_three_outages_is_at_fault() {
        Schedule schedule = schedule(Order.none, false, 1);
        schedule.add(fresh(1, "a"));
        long now = 0;
        Ended ended = schedule.finished(schedule.next(now, NOTHING_MISSING), AWAY, now);
        for (long other = 2; ended.isEmpty() && other < 10; other++) {
            schedule.add(fresh(other, "b"));
            now += SECOND;
            schedule.finished(schedule.next(now, NOTHING_MISSING), Result.DELIVERED, now);
            ended = schedule.finished(schedule.next(now, NOTHING_MISSING), AWAY, now);
            assertThat(ended.isEmpty()).isEqualTo(other < 4);
        }

        assertThat(ended.failed().get(0).message().id()).isEqualTo(1);
        assertThat(ended.failed().get(0).isCounted()).isTrue();
    }

    /** As of a receiver that limits the rate of one of its users. */
    @Example
    void one_message_that_is_told_to_wait_stops_the_others_once_for_this_time() {
        Schedule schedule = schedule(Order.none, false, 1);
        schedule.add(fresh(1, "a"));
        assertThat(pauseAfter(schedule, 0)).isEqualTo(HOUR);

        schedule.add(fresh(2, "b"));
        schedule.finished(schedule.next(HOUR, NOTHING_MISSING), Result.DELIVERED, HOUR);
        assertThat(pauseAfter(schedule, HOUR)).isEqualTo(30 * SECOND);
        assertThat(pauseAfter(schedule, HOUR + 30 * SECOND)).isEqualTo(30 * SECOND);

        schedule.add(fresh(3, "c"));
        assertThat(pauseAfter(schedule, HOUR + 60 * SECOND))
                .as("another message, which is told so too")
                .isEqualTo(HOUR);
    }

    @Example
    void a_message_whose_attempts_count_does_not_stop_the_others_for_long() {
        Schedule schedule = schedule(Order.none, false, 1);
        schedule.add(Delivery.stored(message(1, "a"), 1, 3, Duration.ofMinutes(1)));

        assertThat(pauseAfter(schedule, 0)).isEqualTo(30 * SECOND);
    }

    @Example
    void a_batch_with_a_message_that_is_told_to_wait_stops_the_others_once_for_this_time() {
        Schedule schedule = schedule(Order.none, false, 1);
        LongStream.rangeClosed(1, 4).forEach(id -> schedule.add(fresh(id, "a")));
        schedule.failedTogether(schedule.nextBatch(4, 1_000_000, 0, NOTHING_MISSING), BUSY, 0);
        assertThat(schedule.untilNextProbe(0)).isEqualTo(HOUR);

        schedule.finished(schedule.next(HOUR, NOTHING_MISSING), Result.DELIVERED, HOUR);
        schedule.failedTogether(schedule.nextBatch(2, 1_000_000, HOUR, NOTHING_MISSING), BUSY, HOUR);
        assertThat(schedule.untilNextProbe(HOUR)).isEqualTo(30 * SECOND);
    }

    /** Sends the next message, which is told to wait for an hour; returns the time until the next probe. */
    private static long pauseAfter(Schedule schedule, long now) {
        schedule.finished(schedule.next(now, NOTHING_MISSING), BUSY, now);
        return schedule.untilNextProbe(now);
    }

    @Example
    void during_an_outage_the_first_failure_of_a_message_does_not_count_and_later_ones_are_an_attempt() {
        Schedule schedule = schedule(Order.none, false, 2);
        schedule.add(fresh(1, "a"));
        schedule.add(fresh(2, "b"));
        Delivery first = schedule.next(0, NOTHING_MISSING);
        Delivery second = schedule.next(0, NOTHING_MISSING);
        schedule.finished(first, AWAY, 0);

        Ended ended = schedule.finished(second, POISON, 0);

        assertThat(ended.isEmpty()).isTrue();
        assertThat(schedule.size()).isEqualTo(2);
        long now = 0;
        while (ended.isEmpty()) {
            now += Duration.ofSeconds(30).toNanos();
            Delivery probe = schedule.next(now, NOTHING_MISSING);
            ended = schedule.finished(probe, probe == first ? AWAY : POISON, now);
        }
        assertThat(ended.dead()).isEmpty();
        assertThat(ended.failed()).containsExactly(second);
        assertThat(second.isCounted()).isTrue();
    }

    @Example
    void retries_that_fail_again_get_a_smaller_share_until_one_is_delivered() {
        Schedule schedule = schedule(Order.none, false, 8);
        LongStream.rangeClosed(1, 7)
                .forEach(id -> schedule.add(Delivery.stored(message(id, "a"), id, 1, Duration.ZERO)));
        LongStream.rangeClosed(8, 500).forEach(id -> schedule.add(fresh(id, "a")));

        List<Long> before = new ArrayList<>();
        long others = 0;
        while (schedule.size() > 0) {
            Delivery next = schedule.next(0, NOTHING_MISSING);
            boolean fails = next.isStored() && next.message().id() != 6;
            schedule.finished(next, fails ? FAILED : Result.DELIVERED, 0);
            others++;
            if (next.isStored()) {
                before.add(others - 1);
                others = 0;
            }
        }

        assertThat(before).containsExactly(3L, 7L, 15L, 31L, 63L, 63L, 3L);
    }

    @Example
    void rejected_messages_that_fail_while_earlier_attempts_still_run_are_no_outage() {
        Schedule schedule = schedule(Order.none, false, 100);
        LongStream.rangeClosed(1, 100).forEach(id -> schedule.add(fresh(id, "a")));
        List<Delivery> started = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            started.add(schedule.next(0, NOTHING_MISSING));
        }

        started.subList(50, 100).forEach(poison -> schedule.finished(poison, POISON, 0));
        assertThat(schedule.availability().isUnavailable()).isFalse();
        started.subList(0, 10).forEach(good -> schedule.finished(good, Result.DELIVERED, 0));
        started.subList(10, 30).forEach(bad -> schedule.finished(bad, FAILED, 0));

        assertThat(schedule.availability().isSuspected())
                .as("nothing earlier can succeed any more")
                .isTrue();
    }

    @Example
    void with_pipelining_messages_sent_after_a_failure_leave_with_it_to_be_sent_again() {
        Schedule schedule = schedule(Order.key, true, 8);
        LongStream.rangeClosed(1, 4).forEach(id -> schedule.add(fresh(id, "a")));
        Delivery first = schedule.next(0, NOTHING_MISSING);
        Delivery second = schedule.next(0, NOTHING_MISSING);
        Delivery third = schedule.next(0, NOTHING_MISSING);
        assertThat(schedule.finished(second, FAILED, 0).isEmpty()).isTrue();
        assertThat(schedule.next(0, NOTHING_MISSING))
                .as("what has not started is taken back")
                .isNull();
        assertThat(schedule.finished(third, Result.DELIVERED, 0).isEmpty()).isTrue();

        Ended ended = schedule.finished(first, Result.DELIVERED, 0);

        assertThat(ids(ended.delivered())).containsExactly(1L);
        assertThat(ended.failed()).containsExactly(second);
        assertThat(ids(ended.blocked())).containsExactly(3L, 4L);
    }

    @Example
    void with_pipelining_the_messages_of_a_key_start_without_waiting_up_to_the_limit() {
        Schedule schedule = schedule(Order.key, true, 3);
        LongStream.rangeClosed(1, 5).forEach(id -> schedule.add(fresh(id, "a")));

        assertThat(startAll(schedule, 0)).containsExactly(1L, 2L, 3L);
    }

    @Example
    void no_fresh_message_starts_at_or_above_a_missing_id_but_a_stored_one_does() {
        Schedule schedule = schedule(Order.strict, false, 8);
        schedule.add(fresh(2, "a"));

        assertThat(schedule.next(0, 1)).isNull();
        assertThat(schedule.next(0, 2)).isNull();
        assertThat(schedule.next(0, 3)).isNotNull();
        schedule = schedule(Order.strict, false, 8);
        schedule.add(Delivery.stored(message(2, "a"), 2, 1, Duration.ZERO));
        assertThat(schedule.next(0, 1)).isNotNull();
    }

    @Example
    void in_order_none_a_failure_blocks_no_other_message() {
        Schedule schedule = schedule(Order.none, false, 8);
        LongStream.rangeClosed(1, 3).forEach(id -> schedule.add(fresh(id, "a")));
        schedule.finished(schedule.next(0, NOTHING_MISSING), FAILED, 0);

        assertThat(startAll(schedule, 0)).containsExactly(2L, 3L);
    }

    @Example
    void a_message_found_late_starts_before_later_ones_that_were_ready() {
        Schedule schedule = schedule(Order.key, false, 8);
        schedule.add(fresh(5, "a"));
        schedule.add(fresh(3, "a"));

        assertThat(startAll(schedule, 0)).containsExactly(3L);
    }

    @Example
    void in_an_outage_whose_cause_are_perhaps_first_attempts_no_message_is_repeated_without_end() {
        Schedule schedule = unavailableAfterFailures();
        Map<Long, Integer> attempts = new HashMap<>();
        for (long now = 0, id = 1_001; id <= 5_000; id++) {
            schedule.add(fresh(id, "a"));
            if (id % 5 == 0) {
                now += HOUR;
                probe(schedule, now).forEach(each -> attempts.merge(each, 1, Integer::sum));
            }
        }

        assertThat(attempts.values())
                .contains(1 + TestChoice.MAX_REPEATS)
                .allMatch(count -> count <= 1 + TestChoice.MAX_REPEATS);
    }

    /** Otherwise a receiver that accepts messages and does not answer would get each of them several times more. */
    @Example
    void without_an_answer_no_message_is_repeated_as_a_probe() {
        Schedule schedule = schedule(Order.none, false, 1);
        LongStream.rangeClosed(1, 1_000).forEach(id -> schedule.add(fresh(id, "a")));
        Map<Long, Integer> attempts = new HashMap<>();
        for (long now = 0; now < 100 * HOUR; now += HOUR) {
            if (now == HOUR) {
                schedule.add(Delivery.stored(message(2_000, "a"), 1, 1, Duration.ZERO));
            }
            for (Delivery next = schedule.next(now, NOTHING_MISSING);
                    next != null;
                    next = schedule.next(now, NOTHING_MISSING)) {
                attempts.merge(next.message().id(), 1, Integer::sum);
                schedule.finished(next, UNANSWERED, now);
            }
        }

        assertThat(schedule.availability().isUnavailable()).isTrue();
        assertThat(attempts).hasSizeGreaterThan(300).doesNotContainKey(2_000L);
        assertThat(attempts.values()).allMatch(count -> count == 1);
    }

    @Example
    void a_repeat_that_gets_no_answer_counts() {
        Schedule schedule = unavailableAfterFailures();
        LongStream.rangeClosed(100, 200).forEach(id -> schedule.add(fresh(id, "a")));
        Delivery probe = schedule.next(HOUR, NOTHING_MISSING);
        while (!probe.isRepeat) {
            schedule.finished(probe, FAILED, HOUR);
            probe = schedule.next(HOUR, NOTHING_MISSING);
        }

        assertThat(schedule.finished(probe, UNANSWERED, HOUR).failed()).containsExactly(probe);
        assertThat(probe.isCounted()).isTrue();
    }

    /** Otherwise it would wait until another message comes. */
    @Example
    void a_message_that_failed_during_a_suspicion_is_sent_during_the_next_one_if_nothing_else_is_left() {
        for (Result failure : List.of(UNANSWERED, FAILED)) {
            Schedule schedule = schedule(Order.none, false, 100);
            LongStream.rangeClosed(1, 61).forEach(id -> schedule.add(fresh(id, "a")));
            Map<Long, Delivery> started = new HashMap<>();
            for (int i = 0; i < 61; i++) {
                Delivery next = schedule.next(0, NOTHING_MISSING);
                started.put(next.message().id(), next);
            }
            fail(schedule, started, 1, 20, POISON);
            fail(schedule, started, 61, 61, failure);
            schedule.add(fresh(62, "a"));
            schedule.finished(schedule.next(0, NOTHING_MISSING), Result.DELIVERED, 0);
            fail(schedule, started, 21, 60, POISON);
            assertThat(schedule.availability().isSuspected()).isTrue();

            assertThat(startAll(schedule, 0)).containsExactly(61L);
        }
    }

    private static void fail(Schedule schedule, Map<Long, Delivery> started, long first, long last, Result failure) {
        LongStream.rangeClosed(first, last).forEach(id -> schedule.finished(started.get(id), failure, 0));
    }

    /** As of a message for which the receiver needs so long that the others are told to wait. */
    @Example
    void a_message_that_fails_whenever_others_find_the_destination_unavailable_counts_in_the_end() {
        Map.of(UNANSWERED, 1, FAILED, 3, POISON, 3).forEach((failure, uncounted) -> {
            Schedule schedule = schedule(Order.none, false, 2);
            Delivery heavy = fresh(1, "a");
            schedule.add(heavy);
            for (int i = 0; i < uncounted; i++) {
                assertThat(failBesideAnOutage(schedule, heavy, failure, i * HOUR)
                                .isEmpty())
                        .isTrue();
            }

            assertThat(failBesideAnOutage(schedule, heavy, failure, uncounted * HOUR)
                            .failed())
                    .containsExactly(heavy);
            assertThat(heavy.isCounted()).isTrue();
        });
    }

    /** A message fails while another one finds the destination unavailable, which then delivers that one. */
    private static Ended failBesideAnOutage(Schedule schedule, Delivery heavy, Result failure, long now) {
        Delivery light = fresh(2 + now, "b");
        schedule.add(light);
        assertThat(startAll(schedule, now)).containsExactlyInAnyOrder(1L, 2 + now);
        schedule.finished(light, AWAY, now);
        Ended ended = schedule.finished(heavy, failure, now);
        assertThat(schedule.next(now + SECOND, NOTHING_MISSING)).isSameAs(light);
        schedule.finished(light, Result.DELIVERED, now + SECOND);
        return ended;
    }

    @Example
    void a_message_without_an_answer_whenever_others_are_bad_counts_from_its_second_failure_on() {
        Schedule schedule = schedule(Order.none, false, 2);
        Delivery heavy = fresh(0, "a");
        List<Ended> ends = new ArrayList<>();
        schedule.add(heavy);
        for (long id = 1; ends.size() < 2; id++) {
            schedule.add(fresh(id, "b"));
            Delivery next = schedule.next(0, NOTHING_MISSING);
            if (next != null && next != heavy) {
                schedule.finished(next, next.isTest ? Result.DELIVERED : FAILED, 0);
            }
            if (schedule.availability().isSuspected() && heavy.hasStarted()) {
                ends.add(schedule.finished(heavy, UNANSWERED, 0));
            }
        }

        assertThat(ends.get(0).isEmpty()).isTrue();
        assertThat(ends.get(1).failed()).containsExactly(heavy);
    }

    @Example
    void a_probe_of_each_round_is_a_message_that_a_person_has_retried() {
        Schedule schedule = unavailableAfterFailures();
        LongStream.rangeClosed(100, 200).forEach(id -> schedule.add(fresh(id, "a")));
        LongStream.rangeClosed(50, 60)
                .forEach(id -> schedule.add(Delivery.stored(message(id, "a"), id, 1, Duration.ZERO)));
        probe(schedule, HOUR);

        schedule.add(Delivery.stored(message(7, "a"), 7, 1, Duration.ZERO));

        assertThat(probe(schedule, 2 * HOUR)).hasSize(5).contains(7L);
    }

    @Example
    void more_failures_are_suspicious_after_an_outage_that_a_repeated_message_ended_but_not_after_another_one() {
        for (boolean isRepeat : List.of(true, false)) {
            Schedule schedule = unavailableAfterFailures();
            LongStream.rangeClosed(100, 200).forEach(id -> schedule.add(fresh(id, "a")));
            while (schedule.availability().isUnavailable()) {
                Delivery probe = schedule.next(HOUR, NOTHING_MISSING);
                schedule.finished(probe, probe.isRepeat == isRepeat ? Result.DELIVERED : FAILED, HOUR);
            }
            int failures = 0;
            while (!schedule.availability().isSuspected()) {
                Delivery next = schedule.next(HOUR, NOTHING_MISSING);
                failures += next.failedBefore() ? 0 : 1;
                schedule.finished(next, FAILED, HOUR);
            }

            assertThat(failures).isBetween(isRepeat ? 39 : 19, isRepeat ? 40 : 20);
        }
    }

    /** As of a receiver that answers 503 to each first attempt. */
    @Example
    void an_outage_after_one_that_a_repeat_ended_begins_with_a_repeat() {
        Schedule schedule = schedule(Order.none, false, 1);
        LongStream.rangeClosed(1, 20).forEach(id -> schedule.add(fresh(id, "a")));
        Set<Long> tried = new HashSet<>();
        List<Integer> probes = new ArrayList<>();
        int failed = 0;
        for (long now = HOUR; schedule.size() > 0; now += HOUR) {
            Delivery next = schedule.next(now, NOTHING_MISSING);
            boolean isFirst = tried.add(next.message().id());
            schedule.finished(next, isFirst ? AWAY : Result.DELIVERED, now);
            if (isFirst) {
                failed++;
            } else if (failed > 0) {
                probes.add(failed);
                failed = 0;
            }
        }

        assertThat(probes.get(0)).isEqualTo(4);
        assertThat(probes.subList(1, probes.size())).containsOnly(1);
    }

    @Example
    void a_destination_that_reports_an_outage_gets_another_message_in_three_of_five_probes() {
        Schedule schedule = schedule(Order.none, false, 1);
        LongStream.rangeClosed(1, 20).forEach(id -> schedule.add(fresh(id, "a")));
        schedule.finished(schedule.next(0, NOTHING_MISSING), AWAY, 0);

        List<Long> probes = new ArrayList<>();
        for (long now = HOUR; now <= 5 * HOUR; now += HOUR) {
            Delivery probe = schedule.next(now, NOTHING_MISSING);
            probes.add(probe.message().id());
            schedule.finished(probe, AWAY, now);
        }

        assertThat(probes.subList(0, 3)).doesNotHaveDuplicates().doesNotContain(1L);
        assertThat(probes.subList(3, 5)).containsExactly(1L, 1L);
    }

    private static Schedule unavailableAfterFailures() {
        Schedule schedule = schedule(Order.none, false, 1);
        LongStream.rangeClosed(1, 25).forEach(id -> schedule.add(fresh(id, "a")));
        for (int i = 0; i < 25; i++) {
            schedule.finished(schedule.next(0, NOTHING_MISSING), FAILED, 0);
        }
        assertThat(schedule.availability().isInferred()).isTrue();
        return schedule;
    }

    /** Starts one round of probes, which fail and do not count; returns their ids. */
    private static List<Long> probe(Schedule schedule, long now) {
        List<Long> probes = new ArrayList<>();
        for (Delivery next = schedule.next(now, NOTHING_MISSING);
                next != null;
                next = schedule.next(now, NOTHING_MISSING)) {
            probes.add(next.message().id());
            assertThat(schedule.finished(next, FAILED, now).isEmpty()).isTrue();
        }
        return probes;
    }

    @Example
    void messages_that_are_not_sent_show_nothing_about_the_destination() {
        Schedule schedule = schedule(Order.none, false, 1);
        LongStream.rangeClosed(1, 100).forEach(id -> schedule.add(notSelected(id)));

        assertThat(ids(deadUntilNothingStarts(schedule, 0))).hasSize(100);
        assertThat(schedule.availability().isTesting()).isFalse();
    }

    @Example
    void messages_that_are_not_sent_do_not_use_up_the_tests_of_a_suspicion() {
        Schedule schedule = schedule(Order.none, false, 1);
        LongStream.rangeClosed(1, 20).forEach(id -> schedule.add(fresh(id, "a")));
        for (int i = 0; i < 20; i++) {
            schedule.finished(schedule.next(0, NOTHING_MISSING), FAILED, 0);
        }
        assertThat(schedule.availability().isSuspected()).isTrue();
        LongStream.rangeClosed(21, 50).forEach(id -> schedule.add(notSelected(id)));
        assertThat(deadUntilNothingStarts(schedule, 0)).hasSize(30);

        schedule.add(fresh(51, "a"));

        assertThat(startAll(schedule, 0)).containsExactly(51L);
    }

    @Example
    void a_message_that_is_not_sent_as_a_probe_is_dead_and_another_one_probes() {
        Schedule schedule = schedule(Order.none, false, 1);
        schedule.add(fresh(1, "a"));
        schedule.finished(schedule.next(0, NOTHING_MISSING), AWAY, 0);
        schedule.add(notSelected(2));

        Ended ended = schedule.finished(schedule.next(SECOND, NOTHING_MISSING), POISON, SECOND);

        assertThat(ids(ended.dead())).containsExactly(2L);
        assertThat(schedule.availability().isUnavailable()).isTrue();
        assertThat(startAll(schedule, SECOND)).containsExactly(1L);
    }

    /** Its ids are those of its edit. */
    @Example
    void an_edited_message_that_has_not_failed_is_sent_alone() {
        for (boolean sameKey : List.of(true, false)) {
            Schedule schedule = schedule(Order.key, false, 10);
            for (long id = 1; id <= 3; id++) {
                Message message = message(id, sameKey ? "a" : "k" + id);
                schedule.add(Delivery.follower(message, id, 0, Duration.ZERO).edited(id == 2));
            }

            List<List<Long>> batches = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                List<Delivery> batch = schedule.nextBatch(10, 1_000_000, 0, NOTHING_MISSING);
                batches.add(ids(batch));
                batch.forEach(each -> schedule.finished(each, Result.DELIVERED, 0));
            }

            assertThat(batches).contains(List.of(2L)).allMatch(batch -> batch.size() == 1 || !batch.contains(2L));
        }
    }

    private static Delivery notSelected(long id) {
        return Delivery.follower(message(id, "a"), id, 0, Duration.ZERO).notSelected();
    }

    /** Starts and ends messages that are not sent, until none starts. */
    private static List<Delivery> deadUntilNothingStarts(Schedule schedule, long now) {
        List<Delivery> dead = new ArrayList<>();
        for (Delivery next = schedule.next(now, NOTHING_MISSING);
                next != null;
                next = schedule.next(now, NOTHING_MISSING)) {
            dead.addAll(schedule.finished(next, POISON, now).dead());
        }
        return dead;
    }

    private static Schedule schedule(Order order, boolean pipelined, int maxStarted) {
        return new Schedule(order, pipelined, maxStarted, OnDead.CONTINUE);
    }

    private static List<Long> ids(List<Delivery> deliveries) {
        return deliveries.stream().map(delivery -> delivery.message().id()).toList();
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
