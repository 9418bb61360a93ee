package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.engine.lane.LaneReport;
import dev.caravan.engine.lane.Rate;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.lane.UnusedPermits;
import dev.caravan.engine.schedule.Outage;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.ReportStore;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.operate.subscription.DestinationStatus.State;
import dev.caravan.operate.subscription.LaneStatus;
import dev.caravan.operate.subscription.RateStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.camel.Processor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a relay reports about its lanes in {@code outbox_subscription}. */
class ReportIT {
    private static final Consumer<OutboxComponent> OFTEN = component -> component.setLeaseDuration(3_000);
    private static final Duration SINCE = Duration.ofSeconds(30);

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void deliveries_are_counted_with_those_of_retries_and_not_those_that_failed() throws Exception {
        TestDestination destination = new TestDestination();
        destination.failIf(arrival -> arrival.id() == 2 && arrival.attempt() == 1);
        try (var relay = TestRelay.start(outbox, "orders?backoff=10ms", destination)) {
            outbox.insertMany(10, 10);

            eventually(() -> assertThat(only().delivered()).isEqualTo(10));
        }
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            outbox.insertMany(5, 5);
            eventually(() -> assertThat(only().delivered()).as("counted on").isEqualTo(15));
        }
    }

    @Tag("long")
    @Test
    void a_save_whose_answer_was_lost_counts_once() throws Exception {
        TestDestination destination = new TestDestination();
        destination.failIf(arrival -> arrival.key().equals("bad"));
        var losing = FailingSaves.atFirstCommit(outbox.pool(), Connection::commit);
        try (var relay = TestRelay.start(losing, "orders?maxAttempts=1", destination)) {
            outbox.insertMany(20, 20);
            outbox.insert("bad");

            eventually(() -> assertThat(losing.reached()).isPositive());
            outbox.insertMany(20, 20);
            outbox.awaitPassed("orders", 41);
            assertThat(only().delivered()).isEqualTo(40);
        }
    }

    @Test
    void messages_in_flight_and_latency_are_reported_until_the_relay_stops() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        TestDestination destination = new TestDestination();
        destination.before(arrival -> {
            if (arrival.key().equals("slow")) {
                held.await();
            }
        });
        try (var relay = TestRelay.start(outbox.pool(), "orders", destination, OFTEN)) {
            outbox.insert("slow");
            eventually(() -> assertThat(lane().inFlight()).contains(1));
            assertThat(lane().destination().state()).isEqualTo(State.AVAILABLE);
            eventually(() -> assertThat(lane().followsTail()).contains(true));
            eventually(() -> {
                outbox.insert("fast");
                assertThat(lane().latencyMillis()).isPresent();
            });
            held.countDown();
            eventually(() -> assertThat(lane().inFlight()).contains(0));
            eventually(() -> assertThat(lane().latencyMillis())
                    .as("nothing is delivered")
                    .isEmpty());
        }

        assertThat(lane().inFlight()).isEmpty();
        assertThat(lane().followsTail()).isEmpty();
        assertThat(lane().destination().state()).isEqualTo(State.UNKNOWN);
        assertThat(outbox.holds("select in_flight is null from outbox_subscription"))
                .isTrue();
    }

    @Test
    void a_rate_is_reported_and_its_unused_permits_survive_the_relay() throws Exception {
        TestDestination destination = new TestDestination();
        try (var relay = TestRelay.start(outbox.pool(), "orders?rate=600/min&burst=5", destination, OFTEN)) {
            outbox.insertMany(300, 300);

            eventually(() -> assertThat(only().rate()).isPresent());
            RateStatus rate = only().rate().orElseThrow();
            assertThat(rate.limit()).isEqualTo(Rate.parse("600/min"));
            assertThat(rate.waiting()).isTrue();
            assertThat(rate.text()).startsWith("limited to 600/min (now ").endsWith("/min)");
            eventually(() -> assertThat(only().rate().orElseThrow().perSecond()).isBetween(2.0, 20.0));
        }
        int before = destination.arrivals().size();
        assertThat(only().rate()).isEmpty();
        assertThat(outbox.holds(
                        "select clock_timestamp() - permits_since < interval '10 seconds' from outbox_subscription"))
                .isTrue();
        outbox.execute("update outbox_subscription set permits_since = clock_timestamp() + interval '1 day'");

        try (var relay = TestRelay.start(outbox.pool(), "orders?rate=1/h", destination, OFTEN)) {
            eventually(() -> assertThat(only().rate().map(RateStatus::waiting)).contains(true));
            assertThat(destination.arrivals())
                    .as("no permit comes with a restart")
                    .hasSize(before);
        }
    }

    @Test
    void permits_that_a_dead_relay_reported_do_not_count_with_a_fast_rate() throws Exception {
        SubscriptionStore dead = outbox.store("dead", Duration.ofMinutes(10));
        dead.rows().create(Start.parse("earliest"));
        var first = dead.claim(new String[] {"%"}).orElseThrow();
        assertThat(first.unused()).isEqualTo(UnusedPermits.ALL);
        var use = new RateShare.Use(Rate.parse("50/s"), 23.4, true, Duration.ofSeconds(7));
        report(first.epoch(), true, new LaneReport(1, OptionalInt.empty(), Optional.empty(), Optional.of(use)));
        assertThat(only().rate().orElseThrow().text()).isEqualTo("limited to 50/s (now 23/s)");
        assertThat(outbox.text("select strict from outbox_subscription")).isEqualTo("t");

        outbox.execute("update outbox_subscription set lease_until = clock_timestamp()");
        SubscriptionStore next = outbox.store("next", Duration.ofMinutes(1));
        var second = next.claim(new String[] {"%"}).orElseThrow();
        assertThat(second.unused().isExact()).isFalse();
        assertThat(second.unused().accumulating()).isBetween(Duration.ofSeconds(7), Duration.ofMinutes(1));
        assertThat(lane().rate()).as("deleted by the claim").isEmpty();

        next.release(second.epoch(), Optional.of(Duration.ZERO));
        var third = next.claim(new String[] {"%"}).orElseThrow();
        assertThat(third.unused().isExact()).isTrue();
        assertThat(third.unused().accumulating()).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void an_outage_is_reported_with_its_error_and_next_probe_until_it_ends() throws Exception {
        AtomicBoolean unavailable = new AtomicBoolean(true);
        Processor destination = exchange -> {
            if (unavailable.get()) {
                exchange.setProperty(OutboxConstants.FAILURE, OutboxConstants.DESTINATION);
                throw new java.net.ConnectException("Connection refused");
            }
        };
        try (var relay = TestRelay.start(outbox.pool(), "orders", destination, OFTEN)) {
            outbox.insert("a");

            eventually(() -> assertThat(lane().destination().state()).isEqualTo(State.UNAVAILABLE));
            var told = lane().destination().outage().orElseThrow();
            assertThat(told.error()).isEqualTo("ConnectException (Connection refused)");
            assertThat(told.lasting()).isBetween(Duration.ZERO, SINCE);
            assertThat(told.untilProbe()).isLessThanOrEqualTo(SINCE);
            unavailable.set(false);

            eventually(() -> assertThat(lane().destination().state()).isEqualTo(State.AVAILABLE));
            assertThat(outbox.number("select num_nulls(destination_unavailable_since, destination_error, next_probe_at)"
                            + " from outbox_subscription"))
                    .isEqualTo(3);
        }
    }

    @Test
    void the_report_of_a_crashed_relay_is_valid_until_its_lease_ends_and_is_deleted_by_the_next_claim()
            throws Exception {
        SubscriptionStore dead = outbox.store("dead", Duration.ofMinutes(10));
        dead.rows().create(Start.parse("earliest"));
        long epoch = dead.claim(new String[] {"%"}).orElseThrow().epoch();
        Outage outage = new Outage(SINCE, "refused", SINCE);
        var report = new LaneReport(7, OptionalInt.of(20), Optional.of(outage), Optional.empty());
        assertThat(report(epoch, false, report)).hasSize(1);
        assertThat(lane().inFlight()).contains(7);
        assertThat(lane().destination().outage().orElseThrow().lasting()).isGreaterThanOrEqualTo(SINCE);

        outbox.execute("update outbox_subscription set lease_until = clock_timestamp()");

        assertThat(lane().destination().state()).isEqualTo(State.UNKNOWN);
        assertThat(lane().inFlight()).isEmpty();
        SubscriptionStore next = outbox.store("next", Duration.ofMinutes(1));
        assertThat(next.claim(new String[] {"%"})).isPresent();
        assertThat(lane().destination().state()).isEqualTo(State.AVAILABLE);

        assertThat(report(epoch, false, report)).isEmpty();
        assertThat(lane().inFlight()).as("told by a relay that is fenced").isEmpty();
        assertThat(lane().destination().state()).isEqualTo(State.AVAILABLE);
    }

    private List<ReportStore.Report> report(long epoch, boolean strict, LaneReport values) {
        return new ReportStore(outbox.jdbc())
                .write(List.of(new ReportStore.Report(LaneId.only("orders"), epoch, strict, true, values)));
    }

    private SubscriptionStatus only() throws Exception {
        var all = SubscriptionStatus.all(outbox.dataSource());
        assertThat(all).hasSize(1); // not before a relay has made it
        return all.get(0);
    }

    private LaneStatus lane() throws Exception {
        return only().lanes().get(0);
    }
}
