package dev.caravan.engine.lane;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lane has threads while messages may start, and none otherwise. Whatever lets a message start finds a thread for it. */
class LaneThreadsTest {
    private static final long LEASE_ENDS = Duration.ofDays(1).toNanos();
    private static final Result FAILED = LaneFixture.FAILED;
    private static final Key KEY = new Key("order", "1");

    private final AtomicLong now = new AtomicLong();
    /** What the threads have taken. */
    private final Map<Long, Delivery> started = new ConcurrentHashMap<>();
    /** Threads that the lane has requested and the test has not started. */
    private final Queue<DeliveryThread> requested = new ArrayDeque<>();

    private final List<DeliveryThread> threads = new ArrayList<>();
    private final Timer timer = new Timer();

    /** A thread of the lane, which delivers what it takes until the test says that the attempt has begun. */
    private final class DeliveryThread extends Thread {
        private final Semaphore begun = new Semaphore(0);
        private volatile List<Long> took = List.of();

        private DeliveryThread(Runnable task) {
            super(task);
            threads.add(this);
        }

        private void deliver(Lane lane) {
            try {
                for (List<Delivery> next = lane.next(); !next.isEmpty(); next = lane.next()) {
                    next.forEach(delivery -> started.put(delivery.message().id(), delivery));
                    took = next.stream()
                            .map(delivery -> delivery.message().id())
                            .toList();
                    begun.acquire();
                    took = List.of();
                }
            } catch (InterruptedException e) {
                // the test has ended
            }
        }

        private List<Long> took() throws Exception {
            eventually(() -> assertThat(getState()).isIn(State.WAITING, State.TIMED_WAITING, State.TERMINATED));
            return took;
        }

        /** Ends the beginning of its attempt, so that it asks again. */
        private DeliveryThread asksAgain() throws Exception {
            begun.release();
            eventually(() -> assertThat(begun.availablePermits()).isZero());
            return this;
        }

        private void assertHasEnded() throws Exception {
            eventually(() -> assertThat(getState()).isEqualTo(State.TERMINATED));
        }
    }

    /** Records what is to run later. */
    private static final class Timer extends ScheduledThreadPoolExecutor {
        private final List<Long> delays = new ArrayList<>();
        private Runnable task;
        private ScheduledFuture<?> future;

        Timer() {
            super(1);
            setRemoveOnCancelPolicy(true);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            this.task = task;
            delays.add(unit.toMillis(delay));
            future = super.schedule(() -> {}, 1, TimeUnit.DAYS);
            return future;
        }

        private void ring() {
            assertThat(getQueue()).hasSize(1);
            future.cancel(false);
            task.run();
        }
    }

    @AfterEach
    void stop() {
        threads.forEach(Thread::interrupt);
        timer.shutdownNow();
    }

    @Test
    void a_lane_without_messages_has_no_thread_and_no_alarm() {
        Lane lane = lane(settings -> {});
        lane.proven();
        lane.surveyed(new RetrySurvey(false, false, Long.MAX_VALUE));
        receive(lane);

        assertThat(requested).isEmpty();
        assertThat(timer.delays).isEmpty();
    }

    @Test
    void a_message_that_arrives_starts_a_thread_that_takes_it() throws Exception {
        Lane lane = lane(settings -> {});

        receive(lane, 1);

        assertThat(startThread().took()).containsExactly(1L);
        assertThat(requested).as("no other message may start").isEmpty();
    }

    @Test
    void a_message_that_is_there_before_the_threads_starts_one() throws Exception {
        Lane lane = newLane(settings -> {}, ProvenSession.NONE, RateShare.UNLIMITED);
        receive(lane, 1);

        open(lane);

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void the_thread_that_takes_a_message_starts_the_next_one_up_to_the_maximum() throws Exception {
        Lane lane = lane(settings -> settings.concurrency = 3);
        receive(lane, 1, 2, 3, 4, 5, 6);

        DeliveryThread first = startThread();
        assertThat(first.took()).containsExactly(1L);
        assertThat(startThread().took()).containsExactly(2L);
        assertThat(startThread().took()).containsExactly(3L);

        assertThat(requested).isEmpty();
        lane.finished(started.get(1L), Result.DELIVERED);
        assertThat(requested).as("each thread asks again").isEmpty();
        assertThat(first.asksAgain().took()).containsExactly(4L);
    }

    @Test
    void a_thread_that_asks_first_takes_the_message_for_which_another_one_is_started() throws Exception {
        Lane lane = lane(settings -> {});
        receive(lane, 1, 2, 3);
        DeliveryThread first = startThread();
        assertThat(first.took()).containsExactly(1L);

        assertThat(first.asksAgain().took()).containsExactly(2L);

        assertThat(requested).as("one is on its way").hasSize(1);
        assertThat(startThread().took()).containsExactly(3L);
    }

    @Test
    void a_pipelined_lane_has_one_thread() throws Exception {
        Lane lane = lane(settings -> settings.pipelined = true);
        receive(lane, 1, 2);

        DeliveryThread only = startThread();

        assertThat(only.took()).containsExactly(1L);
        receive(lane, 3);
        lane.finished(started.get(1L), Result.DELIVERED);
        assertThat(requested).isEmpty();
        assertThat(only.asksAgain().took()).containsExactly(2L);
        assertThat(only.asksAgain().took()).containsExactly(3L);
    }

    @Test
    void a_thread_without_a_message_ends_and_the_next_message_starts_another_one() throws Exception {
        Lane lane = lane(settings -> settings.pipelined = true);
        receive(lane, 1);
        DeliveryThread first = startThread();
        assertThat(first.took()).containsExactly(1L);

        first.asksAgain().assertHasEnded();

        assertThat(timer.delays).isEmpty();
        receive(lane, 2);
        assertThat(startThread().took()).containsExactly(2L);
    }

    @Test
    void the_end_of_an_attempt_starts_a_thread_for_the_next_message_of_its_key() throws Exception {
        Lane lane = lane(settings -> {});
        receiveOf(lane, KEY, 1, 2);
        assertThat(startThread().took()).containsExactly(1L);
        assertThat(requested).isEmpty();

        lane.finished(started.get(1L), Result.DELIVERED);

        assertThat(startThread().took()).as("the first thread may be busy").containsExactly(2L);
    }

    @Test
    void the_end_of_an_attempt_starts_a_thread_for_a_message_above_the_limit() throws Exception {
        Lane lane = lane(settings -> settings.concurrency = 1);
        receive(lane, 1, 2);
        DeliveryThread first = startThread();
        assertThat(first.took()).containsExactly(1L);
        first.asksAgain().assertHasEnded(); // the destination answers later
        assertThat(requested).isEmpty();

        lane.finished(started.get(1L), Result.DELIVERED);

        assertThat(startThread().took()).containsExactly(2L);
    }

    @Test
    void batches_that_failed_together_start_a_thread() throws Exception {
        Lane lane = lane(settings -> settings.batching = new BatchLimits(2, 1_000, Duration.ZERO));
        receive(lane, 1, 2);
        DeliveryThread first = startThread();
        assertThat(first.took()).containsExactly(1L, 2L);
        first.asksAgain().assertHasEnded();

        lane.failedTogether(List.of(started.get(1L), started.get(2L)), FAILED);

        assertThat(startThread().took()).containsExactly(1L);
        assertThat(startThread().took()).containsExactly(2L);
    }

    @Test
    void a_lane_that_continues_starts_a_thread() throws Exception {
        Lane lane = lane(settings -> {});
        lane.suspend(Suspension.STOP);
        receive(lane, 1);
        assertThat(requested).isEmpty();

        lane.resume(Suspension.STOP);

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_renewal_of_an_expired_lease_starts_a_thread() throws Exception {
        Lane lane = lane(settings -> {});
        now.set(LEASE_ENDS);
        receive(lane, 1);
        assertThat(requested).isEmpty();
        assertThat(timer.delays).isEmpty();

        lane.renewed(LEASE_ENDS + 1);

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_proof_of_the_session_starts_a_thread() throws Exception {
        ProvenSession session = new ProvenSession(1, 5, now.get());
        Lane lane = newLane(settings -> {}, session, RateShare.UNLIMITED);
        open(lane);
        receive(lane, 1);
        assertThat(requested).isEmpty();

        session.proven(now.get());
        lane.proven();

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_save_that_wrote_another_session_starts_a_thread() throws Exception {
        Lane lane = newLane(settings -> {}, new ProvenSession(1, 5, now.get()), RateShare.UNLIMITED);
        open(lane);
        receive(lane, 1);
        assertThat(requested).isEmpty();

        lane.sessionWritten(ProvenSession.NONE);

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_message_of_the_tail_starts_a_thread() throws Exception {
        Lane lane = lane(settings -> {});
        lane.follow(new IdRanges());
        List<Message> messages = List.of(LaneFixture.message(1));
        Found found = new Found(messages, new IdRanges(), new IdRanges(), new IdRanges());
        TailStep step = new TailStep(1, new IdRanges(), found, new long[0], 1);

        lane.follow(step, step.ids(), messages, true, Set.of());

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_message_that_is_due_again_starts_a_thread() throws Exception {
        Lane lane = lane(settings -> {});

        lane.receivedDue(List.of(LaneFixture.stored(1)));

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_message_that_follows_a_blocked_one_starts_a_thread() throws Exception {
        Lane lane = lane(settings -> {});

        lane.receivedFollowers(List.of(LaneFixture.stored(1)));

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void in_order_strict_a_survey_that_finds_nothing_below_starts_a_thread() throws Exception {
        Lane lane = lane(settings -> settings.order = Order.strict);
        lane.surveyed(new RetrySurvey(true, true, 0));
        receive(lane, 1);
        assertThat(requested).isEmpty();

        lane.surveyed(new RetrySurvey(false, false, Long.MAX_VALUE));

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_permit_of_the_rate_starts_a_thread_when_it_is_due() throws Exception {
        RateLimit limit = new RateLimit(Rate.parse("10/s"), 1, 1, now::get);
        Lane lane = newLane(settings -> {}, ProvenSession.NONE, limit.join(UnusedPermits.ALL));
        open(lane);
        receive(lane, 1, 2);
        assertThat(startThread().took()).containsExactly(1L);
        assertThat(requested).isEmpty();
        assertThat(timer.delays).containsExactly(101L);

        pass(100);
        timer.ring();

        assertThat(startThread().took()).containsExactly(2L);
    }

    @Test
    void a_probe_of_an_unavailable_destination_starts_a_thread_when_it_is_due() throws Exception {
        Lane lane = lane(settings -> {});
        receive(lane, 1);
        assertThat(startThread().took()).containsExactly(1L);
        lane.finished(started.get(1L), Result.unavailable(LaneFixture.FAILURE, Duration.ZERO));
        assertThat(requested).isEmpty();
        lane.proven();
        assertThat(timer.delays).as("one alarm").containsExactly(1_001L);

        pass(1_000);
        timer.ring();

        assertThat(startThread().took()).containsExactly(1L);
    }

    @Test
    void a_batch_starts_a_thread_when_it_has_waited_or_is_full() throws Exception {
        Lane lane = lane(settings -> settings.batching = new BatchLimits(3, 1_000, Duration.ofSeconds(2)));
        receive(lane, 1);
        pass(500);
        receive(lane, 2);
        assertThat(requested).isEmpty();
        assertThat(timer.delays).containsExactly(2_001L);

        pass(1_500);
        timer.ring();

        assertThat(startThread().took()).containsExactly(1L, 2L);
        receive(lane, 3, 4, 5);
        assertThat(startThread().took()).containsExactly(3L, 4L, 5L);
    }

    @Test
    void a_thread_that_ends_leaves_an_alarm_for_what_starts_later() throws Exception {
        Lane lane = lane(settings -> {
            settings.concurrency = 1;
            settings.batching = new BatchLimits(3, 1_000, Duration.ofSeconds(2));
        });
        receive(lane, 1, 2, 3);
        DeliveryThread only = startThread();
        assertThat(only.took()).hasSize(3);
        lane.finished(started.get(1L), Result.DELIVERED);
        lane.finished(started.get(2L), Result.DELIVERED);
        lane.finished(started.get(3L), Result.DELIVERED);
        receive(lane, 4);
        assertThat(timer.delays).as("the thread will ask").isEmpty();

        only.asksAgain().assertHasEnded();

        assertThat(timer.delays).containsExactly(2_001L);
        pass(2_000);
        timer.ring();
        assertThat(startThread().took()).containsExactly(4L);
    }

    @Test
    void an_earlier_time_replaces_the_alarm() {
        AtomicLong untilPermit = new AtomicLong(Duration.ofSeconds(1).toNanos());
        Lane lane = newLane(settings -> {}, ProvenSession.NONE, new RateShare() {
            @Override
            public boolean isLimited() {
                return true;
            }

            @Override
            public int take(int wanted) {
                return 0;
            }

            @Override
            public boolean isWaiting() {
                return true;
            }

            @Override
            public long untilPermit() {
                return untilPermit.get();
            }
        });
        open(lane);
        receive(lane, 1);
        lane.proven();
        assertThat(timer.delays).containsExactly(1_001L);

        untilPermit.set(Duration.ofMillis(20).toNanos());
        lane.proven();

        assertThat(timer.delays).containsExactly(1_001L, 21L);
        assertThat(timer.getQueue()).hasSize(1);
    }

    @Test
    void a_closed_lane_starts_no_thread_and_has_no_alarm() {
        Lane lane = lane(settings -> settings.batching = new BatchLimits(3, 1_000, Duration.ofSeconds(2)));
        receive(lane, 1);
        assertThat(timer.getQueue()).hasSize(1);

        lane.close();
        lane.renewed(LEASE_ENDS + 1);

        assertThat(timer.getQueue()).isEmpty();
        assertThat(requested).isEmpty();
    }

    @Test
    void threads_of_a_lane_that_is_closed_end() throws Exception {
        Lane lane = lane(settings -> {});
        receive(lane, 1, 2);
        assertThat(startThread().took()).containsExactly(1L);
        assertThat(startThread().took()).containsExactly(2L);
        receive(lane, 3);

        lane.close();

        threads.get(0).asksAgain().assertHasEnded();
        threads.get(1).asksAgain().assertHasEnded();
    }

    @Test
    void a_thread_that_comes_after_the_lane_is_closed_gets_no_message() throws Exception {
        Lane lane = lane(settings -> {});
        receive(lane, 1);

        lane.close();

        startThread().assertHasEnded();
        assertThat(started).isEmpty();
    }

    @Test
    void a_lane_whose_thread_cannot_be_started_tries_it_again_after_a_second() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        Lane lane = newLane(settings -> {}, ProvenSession.NONE, RateShare.UNLIMITED);
        lane.deliverOn(
                task -> {
                    switch (tries.incrementAndGet()) {
                        case 1 -> throw new OutOfMemoryError("told to fail");
                        case 2 -> throw new RejectedExecutionException("told to fail");
                        default -> requested.add(new DeliveryThread(task));
                    }
                },
                timer,
                () -> deliver(lane));
        receive(lane, 1);
        receive(lane, 2);
        assertThat(tries).as("tried once").hasValue(1);

        timer.ring();
        assertThat(requested).isEmpty();
        timer.ring();

        assertThat(timer.delays).containsExactly(1_001L, 1_001L);
        assertThat(startThread().took()).containsExactly(1L);
        assertThat(startThread().took()).containsExactly(2L);
    }

    private DeliveryThread startThread() {
        DeliveryThread thread = requested.remove();
        thread.start();
        return thread;
    }

    private Lane lane(Consumer<TestLaneSettings> changes) {
        Lane lane = newLane(changes, ProvenSession.NONE, RateShare.UNLIMITED);
        open(lane);
        return lane;
    }

    private Lane newLane(Consumer<TestLaneSettings> changes, ProvenSession session, RateShare rate) {
        return new Lane(
                new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0, session),
                TestLaneSettings.of(changes),
                new LaneCounters(now::get),
                now::get,
                () -> session,
                rate);
    }

    private void open(Lane lane) {
        lane.deliverOn(task -> requested.add(new DeliveryThread(task)), timer, () -> deliver(lane));
    }

    private static void deliver(Lane lane) {
        ((DeliveryThread) Thread.currentThread()).deliver(lane);
    }

    /** Each message has its own key. */
    private static void receive(Lane lane, long... ids) {
        receive(lane, LongStream.of(ids).mapToObj(LaneFixture::message).toList());
    }

    private static void receiveOf(Lane lane, Key key, long... ids) {
        receive(lane, LongStream.of(ids).mapToObj(id -> LaneFixture.of(key, id)).toList());
    }

    private static void receive(Lane lane, List<Message> messages) {
        lane.received(new Batch(lane.nextRead(), messages, messages.size(), Set.of()), Set.of());
    }

    private void pass(long millis) {
        now.addAndGet(Duration.ofMillis(millis).toNanos());
    }
}
