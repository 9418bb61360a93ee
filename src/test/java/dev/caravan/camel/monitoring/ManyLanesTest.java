package dev.caravan.camel.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneCounters.Count;
import dev.caravan.engine.lane.LaneSnapshot;
import dev.caravan.engine.loop.LoopLiveness;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.RouteLanes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a scrape of a relay with two hundred lanes costs, counted. */
class ManyLanesTest {
    private static final int LANES = 200;
    private static final LaneSnapshot HELD =
            new LaneSnapshot(1, true, 0, 0, Duration.ZERO, Optional.empty(), Duration.ZERO, false);

    /** A lane that counts how often its state is read. */
    private record FakeLane(
            String subscription, LaneCounters counters, Optional<LaneSnapshot> state, AtomicInteger snapshots)
            implements RouteLane {
        static FakeLane of(String subscription, Optional<LaneSnapshot> state) {
            return new FakeLane(subscription, new LaneCounters(Clock.SYSTEM), state, new AtomicInteger());
        }

        @Override
        public int number() {
            return 0;
        }

        @Override
        public int concurrency() {
            return 1;
        }

        @Override
        public LoopLiveness liveness() {
            return new LoopLiveness(true, Duration.ZERO, Duration.ZERO);
        }

        @Override
        public Optional<LaneSnapshot> snapshot() {
            snapshots.incrementAndGet();
            return state;
        }
    }

    private final Scraped scraped = new Scraped();
    private final RouteLanes lanes = new RouteLanes();

    @BeforeEach
    void register() {
        LaneMeters meters = new LaneMeters();
        lanes.listen(meters);
        scraped.add(meters);
    }

    @Test
    void a_scrape_asks_each_lane_once() {
        List<FakeLane> many = many(Optional.of(HELD));

        scraped.series();

        assertThat(many).extracting(lane -> lane.snapshots().get()).containsOnly(1);
    }

    @Test
    void a_lane_has_31_series_and_one_that_another_relay_works_25() {
        many(Optional.of(HELD));
        lanes.add(FakeLane.of("elsewhere", Optional.empty()));

        assertThat(scraped.series("subscription", "s-7")).hasSize(31);
        assertThat(scraped.series("subscription", "elsewhere"))
                .hasSize(25)
                .contains("caravan_lease_held{lane=\"0\",subscription=\"elsewhere\"} 0.0");
        int ofRelay = 6;
        assertThat(scraped.series()).hasSize(31 * LANES + 25 + ofRelay);
    }

    @Test
    void reads_and_saves_of_all_lanes_are_summed() {
        for (FakeLane lane : many(Optional.of(HELD))) {
            lane.counters().read(1_000_000_000, 3);
            lane.counters().read(1_000_000_000, 0);
            lane.counters().saved(500_000_000);
        }

        assertThat(scraped.series())
                .contains(
                        "caravan_read_seconds_count 400",
                        "caravan_read_seconds_sum 400.0",
                        "caravan_batch_messages_count 200",
                        "caravan_batch_messages_sum 600.0",
                        "caravan_save_seconds_count 200",
                        "caravan_save_seconds_sum 100.0");
    }

    @Test
    void a_lane_that_replaces_another_before_that_is_removed_has_its_own_metrics() {
        FakeLane replaced = FakeLane.of("orders", Optional.of(HELD));
        FakeLane current = FakeLane.of("orders", Optional.of(HELD));
        lanes.add(replaced);
        current.counters().add(Count.DEAD_LETTERED);

        lanes.add(current);
        lanes.remove(replaced);

        assertThat(scraped.value("caravan_dead_lettered_total", "lane", "0", "subscription", "orders"))
                .isEqualTo(1);
        lanes.remove(current);
        assertThat(scraped.series("subscription", "orders")).isEmpty();
    }

    private List<FakeLane> many(Optional<LaneSnapshot> state) {
        List<FakeLane> many = IntStream.range(0, LANES)
                .mapToObj(n -> FakeLane.of("s-" + n, state))
                .toList();
        many.forEach(lanes::add);
        return many;
    }
}
