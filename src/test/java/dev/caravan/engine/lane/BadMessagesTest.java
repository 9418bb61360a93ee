package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Message;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;

/** Messages that always fail among good ones, and outages that look the same: the good ones arrive, and an outage writes nothing. */
class BadMessagesTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    @Example
    void three_hundred_bad_messages_do_not_stop_good_ones_that_come_after_them() {
        FailingTraffic traffic = new FailingTraffic(Order.key, false, 1_000, 10_000, Duration.ofSeconds(1));
        traffic.answers(message -> message.id() <= 300 ? FailingTraffic.ERROR_500 : Result.DELIVERED);
        traffic.write(300, i -> "bad" + i);
        for (int i = 0; i < 1_200; i++) {
            traffic.write(1, one -> "good" + traffic.writtenAt.size());
            traffic.run(Duration.ofMillis(50));
        }
        traffic.run(Duration.ofSeconds(5));

        assertThat(traffic.slowest(ids(301, 1_500))).isLessThan(Duration.ofMillis(1_500));
        traffic.run(Duration.ofMinutes(3));
        assertThat(traffic.dead()).isEqualTo(ids(1, 300));
    }

    @Tag("long")
    @Example
    void good_messages_arrive_also_in_a_small_window_that_the_bad_messages_fill() {
        FailingTraffic traffic = new FailingTraffic(Order.none, false, 20, 20, Duration.ofSeconds(1));
        traffic.answers(message -> message.id() <= 300 ? FailingTraffic.ERROR_500 : Result.DELIVERED);
        traffic.write(300, i -> "bad" + i);
        traffic.run(Duration.ofSeconds(1));
        traffic.write(200, i -> "good" + i);

        traffic.run(Duration.ofMinutes(2));

        assertThat(traffic.slowest(ids(301, 500))).isLessThan(Duration.ofMinutes(1));
        traffic.run(Duration.ofMinutes(10));
        assertThat(traffic.dead()).isEqualTo(ids(1, 300));
    }

    @Example
    void good_messages_arrive_at_once_beside_bad_ones_and_those_die_by_their_attempts() {
        deliverBesideBadOnes(true, false, false, 2);
        deliverBesideBadOnes(false, false, true, 10);
    }

    @Tag("long")
    @Property
    void the_same_holds_for_any_share_of_bad_messages(
            @ForAll boolean ordered,
            @ForAll boolean pipelined,
            @ForAll boolean poison,
            @ForAll @IntRange(min = 1, max = 3) int which) {
        deliverBesideBadOnes(ordered, pipelined, poison, which == 1 ? 100 : which == 2 ? 10 : 2);
    }

    private static void deliverBesideBadOnes(boolean ordered, boolean pipelined, boolean poison, int every) {
        FailingTraffic traffic =
                new FailingTraffic(ordered ? Order.key : Order.none, ordered && pipelined, 100, 400, SHORT);
        traffic.answers(message -> !isBad(message, every)
                ? Result.DELIVERED
                : poison ? FailingTraffic.ERROR_400 : FailingTraffic.ERROR_500);
        for (int second = 0; second < 5; second++) {
            for (int i = 0; i < 20; i++) {
                traffic.write(10, one -> "k" + traffic.writtenAt.size() % 500);
                traffic.run(Duration.ofMillis(50));
            }
        }
        List<Long> good =
                ids(1, 1_000).stream().filter(id -> !isBad(key(id, 500), every)).toList();
        traffic.run(Duration.ofSeconds(1));
        assertThat(traffic.slowest(good)).isLessThan(Duration.ofMillis(1_500));

        traffic.run(Duration.ofMinutes(3));

        assertThat(traffic.dead())
                .isEqualTo(ids(1, 1_000).stream()
                        .filter(id -> isBad(key(id, 500), every))
                        .toList());
    }

    @Tag("long")
    @Property
    void a_backlog_with_bad_messages_takes_hardly_more_attempts_than_one_without(
            @ForAll boolean pipelined, @ForAll @IntRange(min = 1, max = 3) int which) {
        int every = which == 1 ? 100 : which == 2 ? 10 : 2;
        FailingTraffic traffic = new FailingTraffic(pipelined ? Order.key : Order.none, pipelined, 100, 400, SHORT);
        traffic.answers(message -> isBad(message.key().id(), every) ? FailingTraffic.ERROR_500 : Result.DELIVERED);
        traffic.write(4_000, i -> "k" + i);
        long good = ids(0, 3_999).stream().filter(id -> !isBad("k" + id, every)).count();

        while (traffic.arrivedAt.size() < good) {
            traffic.tick();
        }

        assertThat(traffic.attempts).isLessThan(4_200);
    }

    private static String key(long id, int keys) {
        return "k" + (id - 1) % keys;
    }

    private static boolean isBad(Message message, int every) {
        return isBad(message.key().id(), every);
    }

    private static boolean isBad(String key, int every) {
        return (Long.parseLong(key.substring(1)) * 7_919 >> 3) % every == 0;
    }

    @Tag("long")
    @Example
    void an_outage_that_answers_every_message_with_an_error_writes_nothing_but_what_raised_the_suspicion() {
        FailingTraffic traffic = new FailingTraffic(Order.key, false, 1_000, 10_000, Duration.ofSeconds(1));
        traffic.answers(message -> message.id() % 3 == 0 ? FailingTraffic.ERROR_502 : FailingTraffic.ERROR_500);
        traffic.write(3_000, i -> "k" + i);

        traffic.run(Duration.ofMinutes(1));
        traffic.run(Duration.ofHours(2), Duration.ofMillis(250));

        assertThat(traffic.dead()).isEmpty();
        assertThat(traffic.world.changes).isLessThanOrEqualTo(20);
        assertThat(traffic.attempts).isLessThan(1_500);
        traffic.answers(message -> Result.DELIVERED);
        traffic.run(Duration.ofSeconds(40), Duration.ofMillis(250));
        traffic.run(Duration.ofSeconds(20));
        assertThat(traffic.arrivedAt).hasSize(3_000);
        assertThat(traffic.dead()).isEmpty();
    }

    @Example
    void an_outage_in_the_middle_of_a_pipelined_batch_writes_no_more() {
        FailingTraffic traffic = new FailingTraffic(Order.key, true, 1_000, 2_000, Duration.ofSeconds(1));
        traffic.answers(message -> message.id() <= 500 ? Result.DELIVERED : FailingTraffic.ERROR_500);
        traffic.write(2_000, i -> "k" + i);

        traffic.run(Duration.ofMinutes(10), Duration.ofMillis(50));

        assertThat(traffic.world.changes).isLessThanOrEqualTo(20);
        traffic.answers(message -> Result.DELIVERED);
        traffic.run(Duration.ofMinutes(1));
        assertThat(traffic.arrivedAt).hasSize(2_000);
        assertThat(traffic.dead()).isEmpty();
    }

    @Example
    void an_outage_that_the_destination_reports_writes_nothing() {
        FailingTraffic traffic = new FailingTraffic(Order.key, false, 1_000, 10_000, Duration.ofSeconds(1));
        traffic.answers(message -> FailingTraffic.ERROR_503);
        traffic.write(3_000, i -> "k" + i);

        traffic.run(Duration.ofMinutes(1));
        traffic.run(Duration.ofHours(2), Duration.ofMillis(250));

        assertThat(traffic.world.changes).isZero();
        assertThat(traffic.attempts).isLessThan(300);
    }

    @Tag("long")
    @Example
    void an_outage_after_many_bad_messages_is_recognized_too() {
        FailingTraffic traffic = new FailingTraffic(Order.none, false, 1_000, 10_000, SHORT);
        traffic.answers(message -> message.id() <= 2_000 ? FailingTraffic.ERROR_500 : Result.DELIVERED);
        traffic.write(2_100, i -> "k" + i);
        traffic.run(Duration.ofMinutes(1));
        assertThat(traffic.dead()).hasSize(2_000);
        int before = traffic.world.changes;

        traffic.answers(message -> FailingTraffic.ERROR_500);
        traffic.run(Duration.ofMinutes(10), Duration.ofMillis(250));
        traffic.write(1_000, i -> "m" + i);
        traffic.run(Duration.ofMinutes(5), Duration.ofMillis(50));

        assertThat(traffic.world.changes - before).isLessThanOrEqualTo(20);
    }

    @Example
    void bad_messages_that_nothing_else_follows_are_dead_after_their_attempts() {
        FailingTraffic traffic = new FailingTraffic(Order.key, false, 100, 400, SHORT);
        traffic.answers(message -> FailingTraffic.ERROR_500);
        traffic.write(60, i -> "k" + i);

        traffic.run(Duration.ofHours(1), Duration.ofMillis(100));

        assertThat(traffic.dead()).hasSize(60);
    }

    @Example
    void slow_failures_of_retries_leave_room_for_good_messages() {
        FailingTraffic traffic = new FailingTraffic(Order.none, false, 100, 400, SHORT);
        traffic.answers(message -> message.id() <= 200 ? FailingTraffic.ERROR_500 : Result.DELIVERED);
        traffic.write(200, i -> "bad" + i);
        traffic.write(50, i -> "good");
        traffic.run(Duration.ofSeconds(1));
        traffic.answersAfter(Duration.ofMillis(200));
        int before = traffic.writtenAt.size();
        for (int i = 0; i < 200; i++) {
            traffic.write(1, one -> "good");
            traffic.run(Duration.ofMillis(50));
        }
        traffic.run(Duration.ofSeconds(1));

        assertThat(traffic.slowest(ids(before + 1, before + 200))).isLessThan(Duration.ofSeconds(1));
    }

    /** As of a mail server with greylisting, or a receiver that learns of a new customer only after the first request. */
    @Example
    void a_destination_that_accepts_only_later_attempts_of_a_message_gets_everything() {
        Duration fiveMinutes = Duration.ofMinutes(5);
        acceptLaterAttempts(1, Duration.ofSeconds(40), 0, 1, fiveMinutes);
        acceptLaterAttempts(1, Duration.ofSeconds(40), 600, 1, fiveMinutes);
    }

    @Tag("long")
    @Example
    void neither_the_backlog_nor_the_inflow_makes_this_slower() {
        Duration tenMinutes = Duration.ofMinutes(10);
        acceptLaterAttempts(1, Duration.ofSeconds(40), 3_000, 10, tenMinutes);
        acceptLaterAttempts(3, Duration.ZERO, 600, 1, tenMinutes);
        acceptLaterAttempts(5, Duration.ZERO, 3_000, 10, tenMinutes);
        acceptLaterAttempts(1, Duration.ofMinutes(5), 600, 1, Duration.ofMinutes(45));
        acceptLaterAttempts(1, Duration.ofMinutes(5), 3_000, 10, Duration.ofMinutes(45));
    }

    /**
     * Also if one in ten messages is never accepted.
     *
     * @param attempt the first attempt of a message that is accepted
     * @param delay the time since its first attempt after which it is accepted
     */
    private static void acceptLaterAttempts(int attempt, Duration delay, int backlog, int inflow, Duration bound) {
        FailingTraffic traffic = new FailingTraffic(Order.key, false, 1_000, 10_000, Duration.ofSeconds(1), 10);
        Map<Long, Integer> attempts = new HashMap<>();
        Map<Long, Long> first = new HashMap<>();
        traffic.answers(message -> {
            long now = traffic.world.now();
            boolean isAccepted = attempts.merge(message.id(), 1, Integer::sum) >= attempt
                    && now - first.computeIfAbsent(message.id(), id -> now) >= delay.toNanos();
            return isAccepted && message.id() % 10 != 0 ? Result.DELIVERED : FailingTraffic.ERROR_500;
        });
        traffic.write(backlog, i -> "b" + i);
        for (int second = 0; second < 300; second++) {
            traffic.write(inflow, i -> "k" + traffic.writtenAt.size());
            traffic.run(Duration.ofSeconds(1), Duration.ofMillis(20));
        }
        traffic.run(bound, Duration.ofMillis(100));

        List<Long> good = ids(1, backlog + 300L * inflow).stream()
                .filter(id -> id % 10 != 0)
                .toList();
        assertThat(traffic.slowest(good)).isLessThan(bound);
        assertThat(traffic.dead()).doesNotContainAnyElementsOf(good);
    }

    private static List<Long> ids(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }
}
