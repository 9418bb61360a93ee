package dev.caravan.camel.monitoring;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.outbox.ReadyConnections;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.lane.TimingListener;
import dev.caravan.engine.loop.LoopLiveness;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.watch.Sampler;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.health.HealthCheck.State;
import org.apache.camel.health.HealthCheckHelper;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Meters and checks of a relay with two routes, in this process. */
class MonitoringIT {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Scraped meters = new Scraped();
    private final AtomicReference<Duration> sinceHousekeeping = new AtomicReference<>(Duration.ZERO);
    private final CamelContext context = new DefaultCamelContext();
    private final TestOutbox outbox = TestOutbox.create();
    private final SwitchedDataSource database = new SwitchedDataSource(outbox.dataSource());
    private final OutboxComponent component = ReadyConnections.of(database);
    private Sampler sampler;
    private volatile boolean unavailable;

    @BeforeEach
    void start() throws Exception {
        sampler = new Sampler(outbox.dataSource(), Retention.UNLIMITED, Clock.SYSTEM);
        context.getRegistry().bind("outbox", component);
        context.getShutdownStrategy().setTimeout(5);
        HealthCheckRegistry.get(context).setExposureLevel("full");
        component.setHousekeeping(false);
        component.setMonitoring(false);
        LaneMeters ofLanes = new LaneMeters();
        component.lanes().listen(ofLanes);
        meters.add(ofLanes, new SampleMeters(sampler));
        HealthChecks.add(context, HealthChecks.ofLanes(component.lanes(), sampler, sinceHousekeeping::get, PATIENCE));
        RouteBuilder.addRoutes(context, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:orders").routeId("orders").process(exchange -> {
                if (unavailable) {
                    exchange.setProperty(OutboxConstants.FAILURE, OutboxConstants.DESTINATION);
                    throw new ConnectException("Connection refused");
                }
            });
            routes.from("outbox:split?lanes=2").routeId("split").to("log:split?level=OFF");
        });
        context.start();
        eventually(() -> assertThat(outbox.number("select count(*) from outbox_subscription where owner is not null"))
                .isEqualTo(3));
    }

    @AfterEach
    void stop() {
        database.answers();
        context.stop();
    }

    @Test
    void a_loop_that_hangs_has_a_growing_age_and_makes_the_relay_not_live() throws Exception {
        eventually(() -> assertThat(isLive()).isTrue());

        database.hangs();
        eventually(() -> assertThat(database.waiting()).isEqualTo(3));

        eventually(() -> assertThat(isLive()).isFalse());
        eventually(() -> {
            assertThat(ages()).allSatisfy(age -> assertThat(age).isGreaterThan(PATIENCE));
            assertThat(value("caravan_poll_age_seconds", "orders", "0")).isGreaterThan(3);
        });
        database.answers();
        eventually(() -> assertThat(isLive()).isTrue());
        eventually(() ->
                assertThat(value("caravan_poll_age_seconds", "orders", "0")).isLessThan(3));
    }

    @Test
    void an_intake_that_fails_is_measured_and_shown_and_does_not_make_the_relay_unready() {
        outbox.execute(
                "insert into outbox_intake (intake, source, relay, lease_until, copied, rejected, failing_since, error)"
                        + " values ('shop', 'shopDb.outbox', 'r1', clock_timestamp() + interval '1 hour', 7, 2, clock_timestamp(), 'refused')");
        sampler.sample();

        assertThat(meters.value("caravan_intake_copied_rows_total", "intake", "shop"))
                .isEqualTo(7);
        assertThat(meters.value("caravan_intake_rejected_rows_total", "intake", "shop"))
                .isEqualTo(2);
        assertThat(meters.value("caravan_intake_dead_letters", "intake", "shop"))
                .isZero();
        assertThat(meters.value("caravan_intake_lag_seconds", "intake", "shop")).isBetween(0.0, 60.0);
        assertThat(meters.value("caravan_intake_failing", "intake", "shop")).isEqualTo(1);
        assertThat(meters.value("caravan_intake_halted", "intake", "shop")).isZero();
        assertThat(HealthCheckHelper.invokeReadiness(context))
                .allSatisfy(check -> assertThat(check.getState()).isEqualTo(State.UP));
        assertThat(HealthCheckHelper.invoke(context))
                .extracting(check -> check.getMessage().orElse(""))
                .contains("degraded: fails, and is tried again, refused; lag 0 s, 7 copied, 2 rejected, 0 dead");
    }

    @Tag("long")
    @Test
    void an_attempt_that_does_not_end_is_named_by_the_check_of_its_subscription() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        RouteBuilder.addRoutes(context, routes -> routes.from("outbox:hanging?concurrency=1")
                .routeId("hanging")
                .process(exchange -> never.await()));
        outbox.insert(2);
        try {
            var checks = new SubscriptionChecks(sampler, component.lanes(), Duration.ofMillis(200));
            eventually(() -> {
                sampler.sample();
                assertThat(checks.stream()
                                .map(check -> check.call().getMessage().orElse("")))
                        .filteredOn(text -> text.startsWith("degraded: an attempt has not ended for "))
                        .singleElement()
                        .asString()
                        .contains("; owned by ");
            });
        } finally {
            never.countDown();
        }
    }

    @Test
    void the_live_check_does_not_wait_for_a_lane_that_hangs_with_its_lock() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        lane("orders").counters().listen(hangingTimings(hanging, released));
        try {
            outbox.insert(1);
            hanging.await();

            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> eventually(() -> assertThat(isLive()).isFalse()));
        } finally {
            released.countDown();
        }
        eventually(() -> assertThat(isLive()).isTrue());
    }

    private RouteLane lane(String subscription) {
        return component.lanes().all().stream()
                .filter(lane -> lane.subscription().equals(subscription))
                .findFirst()
                .orElseThrow();
    }

    /** A lane reports its timings while it holds its lock. */
    private static TimingListener hangingTimings(CountDownLatch hanging, CountDownLatch released) {
        return new TimingListener() {
            @Override
            public void batch(int messages) {}

            @Override
            public void delivered(long millis) {
                hanging.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void read(long nanos, int messages) {}

            @Override
            public void saved(long nanos) {}
        };
    }

    @Test
    void a_database_that_refuses_connections_makes_it_not_ready_but_live() throws Exception {
        sampler.sample();
        eventually(() -> assertThat(isReady()).isTrue());

        outbox.execute("alter table outbox_subscription rename to gone");
        sampler.sample();

        assertThat(isReady()).isFalse();
        eventually(() -> assertThat(isLive()).isTrue());
        outbox.execute("alter table gone rename to outbox_subscription");
        sampler.sample();
        assertThat(isReady()).isTrue();
    }

    @Test
    void housekeeping_that_hangs_makes_the_relay_not_live() {
        sinceHousekeeping.set(Duration.ofMinutes(16));

        assertThat(isLive()).isFalse();
    }

    @Tag("long")
    @Test
    void a_route_that_is_suspended_is_no_loop_that_hangs() throws Exception {
        context.getRouteController().suspendRoute("orders");

        assertThat(value("caravan_poll_age_seconds", "orders", "0")).isNaN();
        assertThat(component.lanes().all())
                .filteredOn(lane -> lane.subscription().equals("orders"))
                .allSatisfy(lane -> assertThat(lane.liveness().running()).isFalse());
        context.getRouteController().resumeRoute("orders");
        eventually(() ->
                assertThat(value("caravan_poll_age_seconds", "orders", "0")).isLessThan(3));
    }

    @Test
    void the_meters_of_a_lane_are_removed_with_its_route_and_begin_anew_with_it() throws Exception {
        outbox.insert(10);
        eventually(() -> assertThat(value("caravan_delivered_messages_total", "orders", "0"))
                .isEqualTo(10));

        context.getRouteController().stopRoute("orders");

        assertThat(ofLanes("orders")).isEmpty();
        assertThat(ofLanes("split")).isNotEmpty();
        context.getRouteController().startRoute("orders");
        outbox.insert(5);
        eventually(() -> assertThat(value("caravan_delivered_messages_total", "orders", "0"))
                .isEqualTo(5));
    }

    @Test
    void each_lane_counts_what_it_does() throws Exception {
        outbox.insert(100);
        eventually(() -> {
            double both = value("caravan_delivered_messages_total", "split", "0")
                    + value("caravan_delivered_messages_total", "split", "1");
            assertThat(both).isEqualTo(100);
        });

        for (String lane : List.of("0", "1")) {
            eventually(() -> {
                assertThat(value("caravan_lease_held", "split", lane)).isEqualTo(1);
                assertThat(value("caravan_destination_available", "split", lane))
                        .isEqualTo(1);
                assertThat(value("caravan_in_flight_messages", "split", lane)).isZero();
            });
        }
        eventually(() -> assertThat(value("caravan_delivery_latency_seconds_count", "orders", "0"))
                .isEqualTo(100));
        eventually(() -> assertThat(meters.value("caravan_batch_messages_sum")).isGreaterThanOrEqualTo(100));
        for (String timed : List.of("caravan_save_seconds", "caravan_read_seconds")) {
            eventually(() -> assertThat(meters.value(timed + "_count")).isPositive());
            assertThat(meters.value(timed + "_sum")).isBetween(0.0, 600.0);
        }
    }

    @Test
    void a_destination_is_shown_as_unavailable_until_it_is_available_again() throws Exception {
        unavailable = true;
        outbox.insert(1);
        eventually(() -> assertThat(value("caravan_destination_available", "orders", "0"))
                .isZero());
        eventually(() -> assertThat(meters.value(
                        "caravan_failed_attempts_total", "kind", "destination", "lane", "0", "subscription", "orders"))
                .isPositive());
        eventually(() ->
                assertThat(value("caravan_in_flight_messages", "orders", "0")).isEqualTo(1));
        eventually(() -> assertThat(isLive()).isTrue());

        unavailable = false;

        eventually(() -> assertThat(value("caravan_destination_available", "orders", "0"))
                .isEqualTo(1));
        eventually(() -> assertThat(value("caravan_delivered_messages_total", "orders", "0"))
                .isEqualTo(1));
    }

    @Test
    void a_lease_that_another_relay_took_counts_as_lost() throws Exception {
        outbox.execute("update outbox_subscription set epoch = epoch + 1, owner = 'other',"
                + " lease_until = clock_timestamp() + interval '1 minute' where name = 'orders'");
        outbox.insert(1);

        eventually(() ->
                assertThat(value("caravan_lease_lost_total", "orders", "0")).isEqualTo(1));
        eventually(() -> assertThat(value("caravan_lease_held", "orders", "0")).isZero());
        eventually(() -> assertThat(value("caravan_destination_available", "orders", "0"))
                .isNaN());
    }

    @Test
    void subscriptions_come_and_go_with_the_samples() throws Exception {
        outbox.execute("insert into outbox_subscription (name, position, paused) values ('elsewhere', 0, true)");
        sampler.sample();
        assertThat(gauge(meters, "caravan_paused", "elsewhere")).isEqualTo(1);
        assertThat(gauge(meters, "caravan_paused", "orders")).isZero();

        outbox.execute("delete from outbox_subscription where name = 'elsewhere'");
        sampler.sample();

        assertThat(meters.series("subscription", "elsewhere")).isEmpty();
    }

    @Test
    void bulk_retries_are_counted_by_state() throws Exception {
        outbox.execute("insert into outbox_job (action, subscription, details, first, state, total, who, via)"
                + " select 'retry', 'orders', '{\"of\": \"dead letters\"}', 5, state, 9, 'anna', 'token'"
                + " from unnest('{running,stopped,stopped,done,cancelled}'::text[]) state");
        Scraped own = new Scraped();
        Sampler sampler = sampler(own);
        sampler.sample();

        assertThat(own.series().stream().filter(line -> line.startsWith("caravan_bulk_retries")))
                .containsExactly(
                        "caravan_bulk_retries{state=\"running\",subscription=\"orders\"} 1.0",
                        "caravan_bulk_retries{state=\"stopped\",subscription=\"orders\"} 2.0");
    }

    @Tag("long")
    @Test
    void a_subscription_whose_relay_works_without_presence_is_visible() throws Exception {
        Scraped own = new Scraped();
        Sampler sampler = sampler(own);
        sampler.sample();
        assertThat(gauge(own, "caravan_presence", "orders")).isZero();

        context.stop();
        outbox.execute(
                "update outbox_subscription set owner = 'other', lease_until = now() + interval '9 s', presence = 1,"
                        + " presence_server = 2 where name = 'orders'");
        sampler.sample();

        assertThat(gauge(own, "caravan_presence", "orders")).isEqualTo(1);
    }

    @Test
    void what_holds_back_pruning_is_named() throws Exception {
        Scraped own = new Scraped();
        Sampler strict = sampler(own);
        context.stop();
        outbox.execute("create table outbox_from_1000000 partition of outbox for values from (1000000) to (2000000);"
                + " insert into outbox (aggregate_type, aggregate_id, type, created_at)"
                + " values ('order', '1', 'order.created', now() - interval '2 days');"
                + " alter sequence outbox_id_seq restart 1000001;"
                + " update outbox_subscription set position = 1000000, gaps = '{}' where name = 'orders'");

        strict.samplePartitions();
        strict.sample();

        assertThat(gauge(own, "caravan_pruning_held_back", "split")).isEqualTo(1);
        assertThat(gauge(own, "caravan_pruning_held_back", "orders")).isZero();
        assertThat(own.value("caravan_oldest_message_seconds")).isBetween(2 * 86_400.0, 2 * 86_400.0 + 600);
        assertThat(own.value("caravan_partitions_ahead")).isZero();
    }

    /** Another sampler, which considers a message old after a day. */
    private Sampler sampler(Scraped scraped) {
        Sampler another = new Sampler(outbox.dataSource(), Retention.of(Duration.ofDays(1)), Clock.SYSTEM);
        scraped.add(new SampleMeters(another));
        return another;
    }

    private static double gauge(Scraped meters, String name, String subscription) {
        return meters.value(name, "subscription", subscription);
    }

    private boolean isLive() {
        return HealthCheckHelper.isResultsUp(HealthCheckHelper.invokeLiveness(context), false);
    }

    private boolean isReady() {
        return HealthCheckHelper.invokeReadiness(context).stream().allMatch(result -> result.getState() == State.UP);
    }

    private List<Duration> ages() {
        return component.lanes().all().stream()
                .map(RouteLane::liveness)
                .map(LoopLiveness::age)
                .toList();
    }

    private double value(String name, String subscription, String lane) {
        return meters.value(name, "lane", lane, "subscription", subscription);
    }

    private List<String> ofLanes(String subscription) {
        return meters.series("subscription", subscription).stream()
                .filter(line -> line.contains("lane="))
                .toList();
    }
}
