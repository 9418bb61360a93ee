package dev.caravan.relay.monitoring;

import dev.caravan.engine.lane.LaneCounters;
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
import java.util.stream.Stream;

/** The meters of each lane of this relay. They are registered and removed with the lanes. */
final class LaneMeters implements RouteLanes.Listener {
    private static final String NAMES = "caravan.";
    private static final String MESSAGES = "messages";
    private static final String SECONDS = "seconds";
    /** The upper bounds of the histogram buckets of the latency. */
    private static final Duration[] LATENCIES = Stream.of(
                    5L,
                    10L,
                    25L,
                    50L,
                    100L,
                    250L,
                    500L,
                    1_000L,
                    2_500L,
                    5_000L,
                    10_000L,
                    30_000L,
                    60_000L,
                    300_000L,
                    1_800_000L,
                    7_200_000L)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Map<RouteLane, List<Meter>> meters = new HashMap<>();

    LaneMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void added(RouteLane lane) {
        Tags tags = Tags.of("subscription", lane.subscription(), "lane", Integer.toString(lane.number()));
        List<Meter> all = new ArrayList<>();
        all.addAll(counters(lane.counters(), tags));
        all.addAll(gauges(lane, tags));
        all.addAll(timers(lane.counters(), tags));
        meters.put(lane, all);
    }

    @Override
    public void removed(RouteLane lane) {
        lane.counters().listen(TimingListener.NONE);
        meters.remove(lane).forEach(registry::remove);
    }

    private List<Meter> counters(LaneCounters counters, Tags tags) {
        return List.of(
                counter(
                        "delivered",
                        MESSAGES,
                        tags,
                        counters,
                        LaneCounters::delivered,
                        "Messages delivered, including repeats"),
                failures("poison", tags, counters, LaneCounters::poison),
                failures("message", tags, counters, LaneCounters::messageFailures),
                failures("destination", tags, counters, LaneCounters::destinationFailures),
                counter(
                        "dead.lettered",
                        null,
                        tags,
                        counters,
                        LaneCounters::deadLettered,
                        "Messages stored as dead letters"),
                counter(
                        "dead.letter.route.skipped",
                        null,
                        tags,
                        counters,
                        LaneCounters::deadLettersMissed,
                        "Dead letters that were not sent to the route dead-letter"),
                counter(
                        "deleted",
                        MESSAGES,
                        tags,
                        counters,
                        LaneCounters::deletedMessages,
                        "Messages that were deleted from the outbox before their failure was stored"),
                counter(
                        "batches.halved",
                        null,
                        tags,
                        counters,
                        LaneCounters::halvedBatches,
                        "Batches that failed as a whole and were sent again in halves"),
                counter(
                        "lease.lost",
                        null,
                        tags,
                        counters,
                        LaneCounters::leasesLost,
                        "Leases lost to another relay while this relay worked the lane"));
    }

    private Meter failures(String kind, Tags tags, LaneCounters counters, ToDoubleFunction<LaneCounters> count) {
        return counter(
                "failed.attempts",
                null,
                tags.and("kind", kind),
                counters,
                count,
                "Failed attempts, by kind of failure");
    }

    private Meter counter(
            String name,
            String unit,
            Tags tags,
            LaneCounters counters,
            ToDoubleFunction<LaneCounters> count,
            String description) {
        return FunctionCounter.builder(NAMES + name, counters, count)
                .baseUnit(unit)
                .tags(tags)
                .description(description)
                .register(registry);
    }

    private List<Meter> gauges(RouteLane lane, Tags tags) {
        return List.of(
                held("in.flight", MESSAGES, tags, lane, LaneSnapshot::inFlight, 0, "Messages taken and not finished"),
                held(
                        "gap.open",
                        "ids",
                        tags,
                        lane,
                        LaneSnapshot::missingIds,
                        0,
                        "Ids below the position that no read has returned"),
                held(
                        "gap.oldest",
                        SECONDS,
                        tags,
                        lane,
                        state -> seconds(state.oldestMissing()),
                        0,
                        "Time for which the oldest missing id has been missing"),
                held(
                        "attempt.oldest",
                        SECONDS,
                        tags,
                        lane,
                        state -> seconds(state.longestAttempt()),
                        0,
                        "Time for which the oldest running attempt has been running"),
                held(
                        "lease.held",
                        null,
                        tags,
                        lane,
                        state -> state.leaseHolds() ? 1 : 0,
                        0,
                        "1 while this relay holds the lease"),
                held("lease.epoch", null, tags, lane, LaneSnapshot::epoch, 0, "Epoch of the lease of this relay"),
                held(
                        "destination.available",
                        null,
                        tags,
                        lane,
                        state -> state.outage().isEmpty() ? 1 : 0,
                        Double.NaN,
                        "0 while the destination is considered unavailable"),
                held(
                        "rate.waiting",
                        null,
                        tags,
                        lane,
                        state -> state.waitsForRate() ? 1 : 0,
                        0,
                        "1 while the option rate delays messages"),
                gauge(
                        "poll.age",
                        SECONDS,
                        tags,
                        lane,
                        worked -> pollAge(worked.liveness()),
                        "Time since the last completed turn of the loop of the lane"));
    }

    /** @param otherwise the value while this relay does not hold the lease of the lane */
    private Meter held(
            String name,
            String unit,
            Tags tags,
            RouteLane lane,
            ToDoubleFunction<LaneSnapshot> value,
            double otherwise,
            String description) {
        return gauge(
                name,
                unit,
                tags,
                lane,
                worked -> worked.snapshot().map(value::applyAsDouble).orElse(otherwise),
                description);
    }

    private Meter gauge(
            String name,
            String unit,
            Tags tags,
            RouteLane lane,
            ToDoubleFunction<RouteLane> value,
            String description) {
        return Gauge.builder(NAMES + name, lane, value)
                .baseUnit(unit)
                .tags(tags)
                .description(description)
                .register(registry);
    }

    private List<Meter> timers(LaneCounters counters, Tags tags) {
        Timer latency = Timer.builder(NAMES + "delivery.latency")
                .tags(tags)
                .description("Time from created_at to the delivery")
                .serviceLevelObjectives(LATENCIES)
                .register(registry);
        Timer reads = Timer.builder(NAMES + "read")
                .tags(tags)
                .description("Duration of a read of the outbox")
                .register(registry);
        Timer saves = Timer.builder(NAMES + "save")
                .tags(tags)
                .description("Duration of a save of progress")
                .register(registry);
        DistributionSummary batches = DistributionSummary.builder(NAMES + "batch")
                .baseUnit(MESSAGES)
                .tags(tags)
                .description("Messages returned by a read, except empty reads")
                .register(registry);
        DistributionSummary sent = DistributionSummary.builder(NAMES + "delivery.batch")
                .baseUnit(MESSAGES)
                .tags(tags)
                .description("Messages sent together, with batching")
                .register(registry);
        counters.listen(new TimingListener() {
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
        return List.of(latency, reads, saves, batches, sent);
    }

    private static double pollAge(LoopLiveness liveness) {
        return liveness.running() ? seconds(liveness.age()) : Double.NaN;
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
