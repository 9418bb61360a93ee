package dev.caravan.engine.lane;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lane starts attempts at the rate of its subscription. */
class LaneRateTest {
    private static final long LEASE_ENDS = Duration.ofDays(1).toNanos();
    private static final Key KEY = new Key("order", "1");

    private volatile long now;

    @ParameterizedTest
    @EnumSource(Order.class)
    void an_attempt_starts_when_there_is_a_permit(Order order) {
        Lane lane = lane(order, false, limit("10/s", 1));
        receive(lane, 1, 2, 3);
        Delivery first = lane.nextNow();
        lane.finished(first, Result.DELIVERED);

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.snapshot().waitsForRate()).isTrue();
        pass(Duration.ofMillis(100));

        Delivery second = lane.nextNow();
        assertThat(second.message().id()).isEqualTo(2);
        lane.finished(second, Result.DELIVERED);
        assertThat(lane.nextNow()).isNull();
    }

    @Test
    void pipelined_messages_of_a_key_need_permits_too() {
        Lane lane = lane(Order.key, true, limit("10/s", 2));
        receive(lane, 1, 2, 3);

        assertThat(started(lane)).containsExactly(1L, 2L);
        pass(Duration.ofMillis(100));
        assertThat(started(lane)).containsExactly(3L);
    }

    @Test
    void another_attempt_of_a_message_needs_a_permit_too() {
        Lane lane = lane(Order.strict, false, limit("10/s", 1));
        receive(lane, 1);
        lane.finished(lane.nextNow(), Result.retry(LaneFixture.FAILURE));
        Save save = lane.toSave();
        lane.saved(save, Set.of());
        pass(Duration.ofMillis(10));
        lane.receivedDue(List.of(Delivery.stored(LaneFixture.of(KEY, 1), 1, 1, Duration.ZERO)));

        assertThat(lane.nextNow()).isNull();
        pass(Duration.ofMillis(90));

        assertThat(lane.nextNow()).isNotNull();
    }

    @Test
    void a_lane_without_a_message_to_start_takes_no_permit_and_does_not_wait_for_one() {
        RateLimit limit = limit("1/h", 1);
        Lane lane = lane(Order.key, false, limit);
        assertThat(lane.nextNow()).isNull();
        assertThat(lane.snapshot().waitsForRate()).isFalse();

        receive(lane, 1);

        assertThat(lane.nextNow()).isNotNull();
        assertThat(lane.nextNow()).as("nothing else is ready").isNull();
        assertThat(lane.snapshot().waitsForRate()).isFalse();
    }

    @Test
    void an_unavailable_destination_uses_no_permits_between_probes() {
        Lane lane = lane(Order.none, false, limit("1/min", 2));
        receive(lane, 1, 2);
        lane.finished(lane.nextNow(), Result.unavailable(LaneFixture.FAILURE, Duration.ZERO));
        assertThat(lane.destinationIsUnavailable()).isTrue();
        assertThat(lane.nextNow()).isNull();
        assertThat(lane.snapshot().waitsForRate()).as("it waits for the probe").isFalse();

        pass(Duration.ofSeconds(1));

        assertThat(lane.nextNow()).as("the second permit is still there").isNotNull();
    }

    @Test
    void a_suspended_lane_lets_the_lanes_behind_it_go_first() {
        RateLimit limit = new RateLimit(Rate.parse("10/s"), 2, 2, () -> now);
        Lane suspended = lane(Order.none, false, limit);
        Lane other = lane(Order.none, false, limit);
        receive(suspended, 1, 2, 3);
        receive(other, 4, 5, 6);
        started(suspended);
        started(other);
        suspended.suspend(Suspension.PAUSE);
        pass(Duration.ofMillis(100));

        assertThat(started(other)).hasSize(1);
    }

    @Test
    void a_closed_lane_leaves_its_part_of_the_rate_to_its_next_owner() {
        RateLimit limit = new RateLimit(Rate.parse("10/s"), 2, 2, () -> now);
        Lane closed = lane(Order.none, false, limit);
        Lane other = lane(Order.none, false, limit);
        closed.close();
        receive(other, 1, 2, 3);

        assertThat(started(other)).as("the burst of one lane").hasSize(1);
        pass(Duration.ofMillis(100));
        assertThat(started(other)).as("half of the rate").isEmpty();
        pass(Duration.ofMillis(100));
        assertThat(started(other)).hasSize(1);
    }

    @Test
    void many_threads_start_each_message_once_and_end_when_the_lane_is_closed() throws Exception {
        Lane lane = new Lane(
                new LaneStart(
                        1,
                        Clock.SYSTEM.elapsed() + LEASE_ENDS,
                        new SavedProgress(0, new IdRanges()),
                        0,
                        ProvenSession.NONE),
                options(Order.none, false),
                new LaneCounters(Clock.SYSTEM),
                Clock.SYSTEM,
                () -> ProvenSession.NONE,
                new RateLimit(Rate.parse("2000/s"), 1, 1, Clock.SYSTEM).join(UnusedPermits.ALL));
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<Long> ids = Collections.synchronizedList(new ArrayList<>());
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        lane.deliverOn(
                task -> {
                    Thread thread = new Thread(task);
                    threads.add(thread);
                    thread.start();
                },
                timer,
                () -> deliver(lane, ids));

        receive(lane, LongStream.rangeClosed(1, 100).toArray());

        eventually(() -> assertThat(ids).hasSize(100));
        lane.close();
        timer.shutdown();
        for (Thread thread : threads) {
            thread.join(30_000);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(ids).hasSize(100).doesNotHaveDuplicates();
    }

    private static void deliver(Lane lane, List<Long> ids) {
        for (List<Delivery> next = lane.next(); !next.isEmpty(); next = lane.next()) {
            ids.add(next.get(0).message().id());
            lane.finished(next.get(0), Result.DELIVERED);
        }
    }

    private static List<Long> started(Lane lane) {
        List<Long> ids = new ArrayList<>();
        for (Delivery delivery = lane.nextNow(); delivery != null; delivery = lane.nextNow()) {
            ids.add(delivery.message().id());
        }
        return ids;
    }

    private RateLimit limit(String rate, int burst) {
        return new RateLimit(Rate.parse(rate), burst, 1, () -> now);
    }

    private Lane lane(Order order, boolean pipelined, RateLimit limit) {
        return new Lane(
                new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0, ProvenSession.NONE),
                options(order, pipelined),
                new LaneCounters(() -> now),
                () -> now,
                () -> ProvenSession.NONE,
                limit.join(UnusedPermits.ALL));
    }

    private static LaneSettings options(Order order, boolean pipelined) {
        return TestLaneSettings.of(settings -> {
            settings.order = order;
            settings.pipelined = pipelined;
            settings.batchBytes = 100_000;
            settings.backoff = new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), new Random(1));
        });
    }

    private static void receive(Lane lane, long... ids) {
        List<Message> messages =
                LongStream.of(ids).mapToObj(id -> LaneFixture.of(KEY, id)).toList();
        lane.received(new Batch(lane.nextRead(), messages, messages.size(), Set.of()), Set.of());
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
