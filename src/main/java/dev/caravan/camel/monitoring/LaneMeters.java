package dev.caravan.camel.monitoring;

import dev.caravan.camel.monitoring.Families.Tags;
import dev.caravan.camel.monitoring.Families.Value;
import dev.caravan.engine.lane.LaneCounters.Count;
import dev.caravan.engine.lane.LaneSnapshot;
import dev.caravan.engine.lane.TimingListener;
import dev.caravan.engine.loop.LoopLiveness;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.RouteLanes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The metrics of the lanes of this relay, and of what it reads and saves for all of them. A scrape asks each lane once for its state. */
final class LaneMeters implements RouteLanes.Listener, Families.Source {
    private static final double NANOS = 1e9;

    /** By its tags, because a name and tags must not occur twice in a scrape, even while a route replaces another. */
    private final Map<Tags, OfLane> lanes = new ConcurrentHashMap<>();

    private final Total reads = new Total();
    private final Total messages = new Total();
    private final Total saves = new Total();

    @Override
    public void added(RouteLane lane) {
        OfLane added = new OfLane(lane);
        lane.counters().listen(added);
        lanes.put(added.tags, added);
    }

    @Override
    public void removed(RouteLane lane) {
        lane.counters().listen(TimingListener.NONE);
        lanes.values().removeIf(each -> each.lane == lane);
    }

    @Override
    public void collect(Families families) {
        new Scrape(
                        lanes.values().stream()
                                .map(each -> new Seen(each, each.lane.snapshot()))
                                .toList(),
                        families)
                .answer();
    }

    /** The meters of one lane. */
    private final class OfLane implements TimingListener {
        private final RouteLane lane;
        private final Tags tags;
        private final Latencies latencies = new Latencies();
        private final Total batches = new Total();

        OfLane(RouteLane lane) {
            this.lane = lane;
            tags = Tags.of("subscription", lane.subscription(), "lane", Integer.toString(lane.number()));
        }

        @Override
        public void delivered(long millis) {
            latencies.add(millis);
        }

        @Override
        public void read(long nanos, int returned) {
            reads.add(nanos);
            if (returned > 0) {
                messages.add(returned);
            }
        }

        @Override
        public void saved(long nanos) {
            saves.add(nanos);
        }

        @Override
        public void batch(int sent) {
            batches.add(sent);
        }

        boolean batches() {
            return !batches.isEmpty();
        }
    }

    /** @param state empty while this relay does not hold the lane */
    private record Seen(OfLane of, Optional<LaneSnapshot> state) {
        double count(Count count) {
            return of.lane.counters().of(count);
        }

        Value value(double value) {
            return new Value(of.tags, value);
        }
    }

    /** One scrape. */
    private final class Scrape {
        private final List<Seen> seen;
        private final Families families;

        Scrape(List<Seen> seen, Families families) {
            this.seen = seen;
            this.families = families;
        }

        void answer() {
            counters();
            gauges();
            distributions();
        }

        private void counters() {
            count("delivered_messages", Count.DELIVERED, "Messages delivered, including repeats");
            families.counter(
                    "failed_attempts",
                    "Failed attempts, by kind of failure",
                    seen.stream().flatMap(Scrape::failures));
            count("dead_lettered", Count.DEAD_LETTERED, "Messages stored as dead letters");
            count(
                    "dead_letter_route_skipped",
                    Count.DEAD_LETTERS_MISSED,
                    "Dead letters that were not sent to the route dead-letter");
            count(
                    "deleted_messages",
                    Count.DELETED,
                    "Messages that were deleted from the outbox before their failure was stored");
            count("lease_lost", Count.LEASES_LOST, "Leases lost to another relay while this relay worked the lane");
            families.counter(
                    "batches_halved",
                    "Batches that failed as a whole and were sent again in halves",
                    withBatches().map(each -> each.value(each.count(Count.HALVED_BATCHES))));
        }

        private static Stream<Value> failures(Seen each) {
            return Stream.of(
                    failures(each, "poison", Count.POISON),
                    failures(each, "message", Count.MESSAGE_FAILURES),
                    failures(each, "destination", Count.DESTINATION_FAILURES));
        }

        private static Value failures(Seen each, String kind, Count count) {
            return new Value(each.of.tags.and("kind", kind), each.count(count));
        }

        private void count(String name, Count count, String description) {
            families.counter(name, description, seen.stream().map(each -> each.value(each.count(count))));
        }

        private void gauges() {
            families.gauge(
                    "lease_held",
                    "1 while this relay holds the lease",
                    seen.stream()
                            .map(each -> each.value(Families.flag(
                                    each.state.filter(LaneSnapshot::leaseHolds).isPresent()))));
            families.gauge(
                    "poll_age_seconds",
                    "Time since the last completed turn of the loop of the lane",
                    seen.stream().flatMap(Scrape::pollAge));
            held("in_flight_messages", LaneSnapshot::inFlight, "Messages taken and not finished");
            held("gap_open_ids", LaneSnapshot::missingIds, "Ids below the position that no read has returned");
            held(
                    "gap_oldest_seconds",
                    state -> Families.seconds(state.oldestMissing()),
                    "Time for which the oldest missing id has been missing");
            held(
                    "attempt_oldest_seconds",
                    state -> Families.seconds(state.longestAttempt()),
                    "Time for which the oldest running attempt has been running");
            held(
                    "destination_available",
                    state -> Families.flag(state.outage().isEmpty()),
                    "0 while the destination is considered unavailable");
            held(
                    "rate_waiting",
                    state -> Families.flag(state.waitsForRate()),
                    "1 while the option rate delays messages");
        }

        /** A gauge of the lanes that this relay holds. */
        private void held(String name, ToDoubleFunction<LaneSnapshot> value, String description) {
            families.gauge(name, description, seen.stream().flatMap(each -> each.state.stream()
                    .map(state -> each.value(value.applyAsDouble(state)))));
        }

        private static Stream<Value> pollAge(Seen each) {
            LoopLiveness liveness = each.of.lane.liveness();
            return liveness.running() ? Stream.of(each.value(Families.seconds(liveness.age()))) : Stream.empty();
        }

        private void distributions() {
            families.histogram(
                    "delivery_latency_seconds",
                    "Time from created_at to the delivery",
                    seen.stream().map(each -> each.of.latencies.counted(each.of.tags)));
            families.summary(
                    "delivery_batch_messages",
                    "Messages sent together, with batching",
                    withBatches().map(each -> each.of.batches.summed(each.of.tags, 1)));
            families.summary("read_seconds", "Duration of a read of the outbox", ofRelay(reads, NANOS));
            families.summary("batch_messages", "Messages returned by a read, except empty reads", ofRelay(messages, 1));
            families.summary("save_seconds", "Duration of a save of progress", ofRelay(saves, NANOS));
        }

        private static Stream<Families.Summed> ofRelay(Total total, double unit) {
            return Stream.of(total.summed(Tags.NONE, unit));
        }

        private Stream<Seen> withBatches() {
            return seen.stream().filter(each -> each.of.batches());
        }
    }
}
