package dev.caravan.relay.monitoring;

import dev.caravan.engine.lane.LaneCounters.Count;
import dev.caravan.engine.lane.LaneSnapshot;
import dev.caravan.engine.lane.TimingListener;
import dev.caravan.engine.loop.LoopLiveness;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.RouteLanes;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** The meters of each lane of this relay. They are registered and removed with the lanes. */
final class LaneMeters implements RouteLanes.Listener {
    private static final String NAMES = "caravan.";
    private static final String MESSAGES = "messages";
    private static final String SECONDS = "seconds";
    /** The upper bounds of the histogram buckets of the latency. */
    private static final Duration[] LATENCIES = LongStream.of(
                    5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000,
                    7_200_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Map<RouteLane, List<Meter>> meters = new HashMap<>();

    LaneMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void added(RouteLane lane) {
        meters.put(lane, new OfLane(lane).meters);
    }

    @Override
    public void removed(RouteLane lane) {
        lane.counters().listen(TimingListener.NONE);
        meters.remove(lane).forEach(registry::remove);
    }

    /** Registers the meters of one lane. */
    private final class OfLane {
        private final RouteLane lane;
        private final Tags tags;
        private final List<Meter> meters = new ArrayList<>();

        OfLane(RouteLane lane) {
            this.lane = lane;
            tags = Tags.of("subscription", lane.subscription(), "lane", Integer.toString(lane.number()));
            counters();
            gauges();
            timers();
        }

        private void counters() {
            count("delivered", MESSAGES, Count.DELIVERED, "Messages delivered, including repeats");
            failures("poison", Count.POISON);
            failures("message", Count.MESSAGE_FAILURES);
            failures("destination", Count.DESTINATION_FAILURES);
            count("dead.lettered", null, Count.DEAD_LETTERED, "Messages stored as dead letters");
            count(
                    "dead.letter.route.skipped",
                    null,
                    Count.DEAD_LETTERS_MISSED,
                    "Dead letters that were not sent to the route dead-letter");
            count(
                    "deleted",
                    MESSAGES,
                    Count.DELETED,
                    "Messages that were deleted from the outbox before their failure was stored");
            count(
                    "batches.halved",
                    null,
                    Count.HALVED_BATCHES,
                    "Batches that failed as a whole and were sent again in halves");
            count(
                    "lease.lost",
                    null,
                    Count.LEASES_LOST,
                    "Leases lost to another relay while this relay worked the lane");
        }

        private void failures(String kind, Count count) {
            count("failed.attempts", null, tags.and("kind", kind), count, "Failed attempts, by kind of failure");
        }

        private void count(String name, String unit, Count count, String description) {
            count(name, unit, tags, count, description);
        }

        private void count(String name, String unit, Tags all, Count count, String description) {
            meters.add(FunctionCounter.builder(NAMES + name, lane.counters(), counters -> counters.of(count))
                    .baseUnit(unit)
                    .tags(all)
                    .description(description)
                    .register(registry));
        }

        private void gauges() {
            held("in.flight", MESSAGES, LaneSnapshot::inFlight, "Messages taken and not finished");
            held("gap.open", "ids", LaneSnapshot::missingIds, "Ids below the position that no read has returned");
            held(
                    "gap.oldest",
                    SECONDS,
                    state -> seconds(state.oldestMissing()),
                    "Time for which the oldest missing id has been missing");
            held(
                    "attempt.oldest",
                    SECONDS,
                    state -> seconds(state.longestAttempt()),
                    "Time for which the oldest running attempt has been running");
            held("lease.held", null, state -> state.leaseHolds() ? 1 : 0, "1 while this relay holds the lease");
            held("lease.epoch", null, LaneSnapshot::epoch, "Epoch of the lease of this relay");
            gauge(
                    "destination.available",
                    null,
                    worked -> held(worked, state -> state.outage().isEmpty() ? 1 : 0, Double.NaN),
                    "0 while the destination is considered unavailable");
            held(
                    "rate.waiting",
                    null,
                    state -> state.waitsForRate() ? 1 : 0,
                    "1 while the option rate delays messages");
            gauge(
                    "poll.age",
                    SECONDS,
                    worked -> pollAge(worked.liveness()),
                    "Time since the last completed turn of the loop of the lane");
        }

        /** A gauge that is 0 while this relay does not hold the lease of the lane. */
        private void held(String name, String unit, ToDoubleFunction<LaneSnapshot> value, String description) {
            gauge(name, unit, worked -> held(worked, value, 0), description);
        }

        private static double held(RouteLane lane, ToDoubleFunction<LaneSnapshot> value, double otherwise) {
            return lane.snapshot().map(value::applyAsDouble).orElse(otherwise);
        }

        private void gauge(String name, String unit, ToDoubleFunction<RouteLane> value, String description) {
            meters.add(Gauge.builder(NAMES + name, lane, value)
                    .baseUnit(unit)
                    .tags(tags)
                    .description(description)
                    .register(registry));
        }

        private void timers() {
            Timer latency = Timer.builder(NAMES + "delivery.latency")
                    .tags(tags)
                    .description("Time from created_at to the delivery")
                    .serviceLevelObjectives(LATENCIES)
                    .register(registry);
            Timer reads = timer("read", "Duration of a read of the outbox");
            Timer saves = timer("save", "Duration of a save of progress");
            DistributionSummary batches = summary("batch", "Messages returned by a read, except empty reads");
            DistributionSummary sent = summary("delivery.batch", "Messages sent together, with batching");
            meters.addAll(List.of(latency, reads, saves, batches, sent));
            lane.counters().listen(new TimingListener() {
                @Override
                public void delivered(long millis) {
                    latency.record(millis, TimeUnit.MILLISECONDS);
                }

                @Override
                public void read(long nanos, int messages) {
                    reads.record(nanos, TimeUnit.NANOSECONDS);
                    if (messages > 0) {
                        batches.record(messages);
                    }
                }

                @Override
                public void saved(long nanos) {
                    saves.record(nanos, TimeUnit.NANOSECONDS);
                }

                @Override
                public void batch(int messages) {
                    sent.record(messages);
                }
            });
        }

        private Timer timer(String name, String description) {
            return Timer.builder(NAMES + name)
                    .tags(tags)
                    .description(description)
                    .register(registry);
        }

        private DistributionSummary summary(String name, String description) {
            return DistributionSummary.builder(NAMES + name)
                    .baseUnit(MESSAGES)
                    .tags(tags)
                    .description(description)
                    .register(registry);
        }
    }

    private static double pollAge(LoopLiveness liveness) {
        return liveness.running() ? seconds(liveness.age()) : Double.NaN;
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
