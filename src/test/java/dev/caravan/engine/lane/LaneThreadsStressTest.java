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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Messages arrive while the threads of a lane end, on real threads. A message for which no thread comes would wait for ever, because
 * nothing else happens until it is delivered.
 */
class LaneThreadsStressTest {
    private static final int ROUNDS = 1_000;
    private static final int MOST_MESSAGES = 6;
    private static final int CONCURRENCY = 4;
    private static final long LEASE_ENDS = Long.MAX_VALUE / 2;

    private enum Kind {
        CONCURRENT(settings -> settings.concurrency = CONCURRENCY),
        PIPELINED(settings -> settings.pipelined = true),
        STRICT(settings -> settings.order = Order.strict),
        BATCHES(settings -> {
            settings.concurrency = CONCURRENCY;
            settings.batching = new BatchLimits(2, 1_000, Duration.ZERO);
        });

        private final Consumer<TestLaneSettings> changes;

        Kind(Consumer<TestLaneSettings> changes) {
            this.changes = changes;
        }
    }

    private final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
    private final ThreadPoolExecutor destination = (ThreadPoolExecutor) Executors.newFixedThreadPool(2);
    private final AtomicLongArray arrivals = new AtomicLongArray(ROUNDS * MOST_MESSAGES + 1);
    private final AtomicLong arrived = new AtomicLong();
    private final AtomicInteger beginning = new AtomicInteger();
    private final AtomicInteger mostBeginning = new AtomicInteger();

    @AfterEach
    void stop() {
        pool.shutdownNow();
        timer.shutdownNow();
        destination.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource
    void a_thread_comes_for_each_message_although_others_end_meanwhile(Kind kind) throws Exception {
        Random random = new Random(1);
        LaneSettings settings = TestLaneSettings.of(kind.changes);
        Lane lane = new Lane(
                new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0, ProvenSession.NONE),
                settings,
                new LaneCounters(() -> 0),
                () -> 0,
                () -> ProvenSession.NONE,
                RateShare.UNLIMITED);
        lane.deliverOn(pool, timer, () -> deliver(lane, settings));

        long last = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long first = last + 1;
            last += 1 + random.nextInt(MOST_MESSAGES);
            receive(lane, first, last, 1 + random.nextInt(3));
            long expected = last;
            eventually(() -> assertThat(arrived).hasValue(expected));
        }

        for (int id = 1; id <= last; id++) {
            assertThat(arrivals.get(id)).as("arrivals of %s", id).isEqualTo(1);
        }
        assertThat(mostBeginning.get()).isBetween(1, settings.maxThreads());
        eventually(() -> assertThat(pool.getActiveCount()).isZero());
    }

    private void deliver(Lane lane, LaneSettings settings) {
        for (List<Delivery> next = lane.next(); !next.isEmpty(); next = lane.next()) {
            List<Delivery> attempt = next;
            mostBeginning.accumulateAndGet(beginning.incrementAndGet(), Math::max);
            attempt.forEach(delivery ->
                    arrivals.incrementAndGet((int) delivery.message().id()));
            if (attempt.get(0).message().id() % 2 == 0) {
                destination.execute(() -> end(lane, settings, attempt)); // it answers later
            } else {
                end(lane, settings, attempt);
            }
            beginning.decrementAndGet();
        }
    }

    private void end(Lane lane, LaneSettings settings, List<Delivery> attempt) {
        if (settings.batching().messages() > 1) {
            lane.finished(
                    attempt, attempt.stream().map(delivery -> Result.DELIVERED).toList());
        } else {
            lane.finished(attempt.get(0), Result.DELIVERED);
        }
        arrived.addAndGet(attempt.size());
    }

    private static void receive(Lane lane, long first, long last, int keys) {
        List<Message> messages = new ArrayList<>();
        LongStream.rangeClosed(first, last)
                .forEach(id -> messages.add(LaneFixture.of(new Key("order", "" + id % keys), id)));
        lane.received(new Batch(lane.nextRead(), messages, messages.size(), Set.of()), Set.of());
    }
}
