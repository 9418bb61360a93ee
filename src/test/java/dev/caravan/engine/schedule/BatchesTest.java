package dev.caravan.engine.schedule;

import static dev.caravan.engine.schedule.TestMessages.AWAY;
import static dev.caravan.engine.schedule.TestMessages.FAILED;
import static dev.caravan.engine.schedule.TestMessages.POISON;
import static dev.caravan.engine.schedule.TestMessages.fresh;
import static dev.caravan.engine.schedule.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Batches at a destination that accepts all messages of a batch or none, and some messages never. */
class BatchesTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int MESSAGES = 80;
    private static final int MAX_ATTEMPTS = 3;

    private final Map<Long, Integer> starts = new HashMap<>();
    private final List<Long> arrived = new ArrayList<>();
    private final Set<Long> dead = new HashSet<>();
    private final Set<Long> bad = new HashSet<>();
    private final Map<Key, List<Delivery>> blocked = new HashMap<>();
    private final Deque<List<Delivery>> running = new ArrayDeque<>();
    private Result failure = FAILED;
    private Schedule schedule;
    private long now;
    private int exchanges;
    private int outages;
    private int usedOutages;

    @Property
    void bad_messages_are_found_alone_and_good_ones_arrive_once_in_order(
            @ForAll Order order,
            @ForAll @IntRange(min = 1, max = 40) int most,
            @ForAll @IntRange(min = 1, max = 3) int concurrency,
            @ForAll boolean poison,
            @ForAll @LongRange(min = 0, max = 1_000_000) long seed) {
        Random random = new Random(seed);
        List.of(starts, blocked).forEach(Map::clear);
        List.of(arrived, dead, bad, running).forEach(Collection::clear); // one object for all runs
        failure = poison ? POISON : FAILED;
        schedule = new Schedule(order, false, concurrency, OnDead.CONTINUE);
        int keys = 1 + random.nextInt(20);
        for (long id = 1; id <= MESSAGES; id++) {
            schedule.add(fresh(id, "k" + random.nextInt(keys)));
            if (random.nextInt(20) == 0) {
                bad.add(id);
            }
        }
        outages = random.nextInt(4);
        usedOutages = 0;

        for (int step = 0; step < 100_000 && arrived.size() + dead.size() < MESSAGES; step++) {
            now += SECOND / 1_000;
            if (!start(most) && running.isEmpty()) {
                now += 30 * SECOND;
            } else if (!running.isEmpty() && random.nextInt(3) > 0) {
                end(random.nextBoolean() ? running.pollFirst() : running.pollLast(), random.nextInt(15) == 0);
            }
        }

        assertThat(arrived).doesNotHaveDuplicates().hasSize(MESSAGES - bad.size());
        assertThat(dead).isEqualTo(bad);
        if (order == Order.none) { // in other orders, messages behind a failed one leave the schedule, and begin anew
            int halvings = 32 - Integer.numberOfLeadingZeros(most - 1);
            starts.forEach((id, count) -> assertThat(count)
                    .as("starts of message %s", id)
                    .isLessThanOrEqualTo(halvings + usedOutages + (bad.contains(id) ? 2 * MAX_ATTEMPTS : 1)));
        }
        assertThat(schedule.size()).isZero();
        assertThat(schedule.started()).isZero();
    }

    private boolean start(int most) {
        List<Delivery> batch = schedule.nextBatch(most, Long.MAX_VALUE, now, Long.MAX_VALUE);
        if (batch.isEmpty()) {
            return false;
        }
        assertThat(batch).hasSizeLessThanOrEqualTo(most);
        assertThat(batch).extracting(delivery -> delivery.message().id()).isSorted();
        for (List<Delivery> other : running) {
            Set<Object> keys = new HashSet<>();
            other.forEach(delivery -> keys.add(delivery.queue));
            assertThat(batch).as("a key in two batches").noneMatch(delivery -> keys.contains(delivery.queue));
        }
        batch.forEach(delivery -> starts.merge(delivery.message().id(), 1, Integer::sum));
        running.add(batch);
        exchanges++;
        return true;
    }

    private void end(List<Delivery> batch, boolean maybeOutage) {
        boolean isOutage = maybeOutage && outages > 0;
        outages -= isOutage ? 1 : 0;
        usedOutages += isOutage ? 1 : 0;
        boolean isBad = batch.stream()
                .anyMatch(delivery -> bad.contains(delivery.message().id()));
        Result result = isOutage ? AWAY : isBad ? failure : Result.DELIVERED;
        if (batch.size() > 1 && result != Result.DELIVERED) {
            schedule.failedTogether(batch, result, now);
        } else {
            apply(schedule.finished(batch, Collections.nCopies(batch.size(), result), now));
        }
    }

    private void apply(Ended ended) {
        ended.delivered().forEach(this::arrived);
        ended.dead().forEach(this::dead);
        ended.blocked()
                .forEach(delivery -> blocked.computeIfAbsent(delivery.message().key(), any -> new ArrayList<>())
                        .add(delivery));
        ended.failed().forEach(this::failed);
    }

    private void failed(Delivery delivery) {
        Message failed = delivery.message();
        int attempts = delivery.failedAttempts() + 1;
        assertThat(bad).as("only bad messages have counted attempts").contains(failed.id());
        if (attempts == MAX_ATTEMPTS) {
            dead(delivery);
        } else {
            schedule.add(Delivery.stored(failed, failed.id(), attempts, Duration.ZERO));
        }
    }

    private void arrived(Delivery delivery) {
        arrived.add(delivery.message().id());
        followers(delivery.message().key());
    }

    private void dead(Delivery delivery) {
        dead.add(delivery.message().id());
        followers(delivery.message().key());
    }

    private void followers(Key key) {
        List<Delivery> waiting = blocked.remove(key);
        if (waiting != null) {
            waiting.forEach(delivery -> schedule.add(
                    Delivery.follower(delivery.message(), delivery.message().id(), 0, Duration.ZERO)));
        }
    }

    @Example
    void one_poison_message_among_a_thousand_costs_two_batches_for_each_halving() {
        failure = POISON;
        bad.add(700L);
        schedule = new Schedule(Order.none, false, 1, OnDead.CONTINUE);
        for (long id = 1; id <= 1_000; id++) {
            schedule.add(fresh(id, "k" + id));
        }

        while (start(1_000)) {
            end(running.poll(), false);
        }

        assertThat(arrived).doesNotHaveDuplicates().hasSize(999);
        assertThat(dead).containsExactly(700L);
        assertThat(exchanges).isLessThanOrEqualTo(2 * 10 + 1);
        assertThat(starts.get(700L)).isEqualTo(11);
    }

    @Example
    void a_message_that_looks_like_an_outage_is_found_alone() {
        schedule = new Schedule(Order.none, false, 1, OnDead.CONTINUE);
        for (long id = 1; id <= 200; id++) {
            schedule.add(fresh(id, "k" + id));
        }
        List<Delivery> failed = List.of();

        for (int step = 0; step < 500 && failed.isEmpty(); step++) {
            now += 31 * SECOND;
            List<Delivery> batch = schedule.nextBatch(64, Long.MAX_VALUE, now, Long.MAX_VALUE);
            boolean isCut =
                    batch.stream().anyMatch(delivery -> delivery.message().id() == 50);
            if (batch.isEmpty()) {
                schedule.add(fresh(1_000L + step, "more" + step)); // traffic continues
            } else if (isCut && batch.size() > 1) {
                schedule.failedTogether(batch, AWAY, now);
            } else {
                failed = schedule.finished(
                                batch, Collections.nCopies(batch.size(), isCut ? AWAY : Result.DELIVERED), now)
                        .failed();
            }
        }

        assertThat(failed).hasSize(1);
        assertThat(failed.get(0).message().id()).isEqualTo(50);
        assertThat(failed.get(0).isCounted()).isTrue();
    }

    @Example
    void failures_of_single_messages_beside_delivered_ones_raise_no_suspicion() {
        schedule = new Schedule(Order.none, false, 1, OnDead.CONTINUE);
        for (long id = 1; id <= 100; id++) {
            schedule.add(fresh(id, "k" + id));
        }
        List<Delivery> batch = schedule.nextBatch(100, Long.MAX_VALUE, now, Long.MAX_VALUE);
        List<Result> results = new ArrayList<>(Collections.nCopies(100, FAILED));
        results.set(3, Result.DELIVERED);

        schedule.finished(batch, results, now);

        assertThat(schedule.availability().isTesting()).isFalse();
    }

    @Example
    void an_outage_that_looks_like_failures_of_messages_is_suspected_in_spite_of_large_batches_in_flight() {
        schedule = new Schedule(Order.none, false, 4, OnDead.CONTINUE);
        for (long id = 1; id <= 10_000; id++) {
            schedule.add(fresh(id, "k" + id));
        }
        int counted = 0;
        for (int step = 0; step < 10_000 && !schedule.availability().isTesting(); step++) {
            while (start(500)) {
                // as many as may run at once
            }
            List<Delivery> batch = running.poll();
            if (batch.size() > 1) {
                schedule.failedTogether(batch, FAILED, now);
            } else {
                schedule.finished(batch, List.of(FAILED), now);
                counted++;
            }
        }

        assertThat(schedule.availability().isTesting()).isTrue();
        assertThat(counted).isLessThanOrEqualTo(Availability.SUSPICIOUS_FAILURES + 4);
        assertThat(exchanges).isLessThan(200);
    }

    @Example
    void a_batch_is_bounded_by_its_bytes_but_takes_one_larger_message() {
        schedule = new Schedule(Order.key, false, 8, OnDead.CONTINUE);
        for (long id = 1; id <= 3; id++) {
            schedule.add(fresh(id, "a"));
        }
        long one = message(1, "a").bytes();

        assertThat(schedule.nextBatch(10, 2 * one, now, Long.MAX_VALUE)).hasSize(2);
        assertThat(schedule.nextBatch(10, 2 * one, now, Long.MAX_VALUE))
                .as("its key is in flight")
                .isEmpty();
        schedule.add(fresh(4, "b"));
        assertThat(schedule.nextBatch(10, 1, now, Long.MAX_VALUE)).hasSize(1);
    }
}
