package dev.caravan.camel.monitoring;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.outbox.ReadyConnections;
import dev.caravan.camel.outbox.TestOutbox;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.health.HealthCheckHelper;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plain contexts with the component and nothing else of a relay. */
class UpkeepIT {
    private final TestOutbox outbox = TestOutbox.create();
    private final List<CamelContext> contexts = new ArrayList<>();

    @AfterEach
    void stop() {
        contexts.forEach(CamelContext::stop);
    }

    @Test
    void partitions_of_the_option_are_created_ahead() throws Exception {
        start("one", component -> component.setPartitionSize(2_000_000));

        eventually(() -> assertThat(outbox.text("select to_regclass('outbox_from_3000000')"))
                .isNotNull());
    }

    /** A holder that hangs must not let the partitions run out. */
    @Test
    void an_instance_without_the_lease_creates_missing_partitions_when_it_starts() throws Exception {
        outbox.execute("insert into outbox_lease (name, relay, instance, until) values ('housekeeping', 'hanging',"
                + " gen_random_uuid(), clock_timestamp() + interval '29 s')");

        start("one", component -> component.setPartitionSize(2_000_000));

        eventually(() -> assertThat(outbox.text("select to_regclass('outbox_from_3000000')"))
                .isNotNull());
        assertThat(holder()).isEqualTo("hanging");
    }

    @Test
    void one_of_two_contexts_does_housekeeping_and_the_other_takes_over_when_it_stops() throws Exception {
        CamelContext one = start("one", component -> {});
        eventually(() -> assertThat(holder()).isEqualTo("one"));
        start("other", component -> {});
        assertThat(holder()).isEqualTo("one");

        one.stop();

        eventually(Duration.ofSeconds(20), () -> assertThat(holder()).isEqualTo("other"));
    }

    @Tag("long")
    @Test
    void another_context_takes_over_within_a_minute_when_the_database_no_longer_hears_from_one() throws Exception {
        SwitchedDataSource hanging = new SwitchedDataSource(outbox.dataSource());
        start("one", component -> ReadyConnections.housekeeping(component, hanging));
        eventually(() -> assertThat(holder()).isEqualTo("one"));
        start("other", component -> {});

        hanging.hangs();

        eventually(Duration.ofMinutes(1), () -> assertThat(holder()).isEqualTo("other"));
        hanging.answers();
    }

    @Test
    @Timeout(60)
    void a_stop_does_not_wait_for_a_database_that_hangs() throws Exception {
        SwitchedDataSource hanging = new SwitchedDataSource(outbox.dataSource());
        CamelContext context = start("one", component -> ReadyConnections.housekeeping(component, hanging));
        eventually(() -> assertThat(holder()).isEqualTo("one"));
        hanging.hangs();

        context.stop();

        assertThat(holder()).isEqualTo("one");
        hanging.answers();
    }

    @Test
    void without_housekeeping_nothing_is_asked_for_it() throws Exception {
        var housekeeping = new SwitchedDataSource(outbox.dataSource());
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        housekeeping.hangs();

        CamelContext context = start("one", registry, component -> {
            component.setHousekeeping(false);
            ReadyConnections.housekeeping(component, housekeeping);
        });

        eventually(() -> assertThat(component(context).sampler().latest()).isPresent());
        assertThat(housekeeping.waiting()).isZero();
        assertThat(outbox.number("select count(*) from outbox_lease")).isZero();
    }

    @Test
    void the_metrics_are_in_the_only_registry_and_are_removed_when_the_component_stops() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        registry.counter("of.application");
        CamelContext context = start("one", registry, component -> {});
        outbox.insert(3);

        eventually(() -> assertThat(delivered(registry)).isEqualTo(3));
        eventually(() -> assertThat(registry.find("caravan.delivery.latency.seconds")
                        .tag("lane", "0")
                        .meters())
                .singleElement()
                .extracting(meter -> meter.measure().iterator().next().getValue())
                .isEqualTo(3.0));
        eventually(() -> assertThat(registry.find("caravan.lag.seconds")
                        .tag("subscription", "orders")
                        .gauge())
                .isNotNull());
        context.stop();

        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactly("of.application");
    }

    @Test
    void the_meters_of_a_lane_are_removed_with_its_route() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        CamelContext context = start("one", registry, component -> {});
        eventually(() -> assertThat(registry.find("caravan.lease.held").gauge()).isNotNull());

        context.getRouteController().stopRoute("orders");

        eventually(() -> assertThat(registry.find("caravan.lease.held").gauge()).isNull());
    }

    @Test
    void a_registry_of_prometheus_has_the_names_and_histograms_of_a_relay() throws Exception {
        Scraped scraped = new Scraped();
        var all = new CompositeMeterRegistry();
        all.add(scraped.registry);
        all.add(new SimpleMeterRegistry());
        CamelContext context = start("one", all, component -> {});
        outbox.insert(2);

        eventually(() -> assertThat(
                        scraped.value("caravan_delivered_messages_total", "lane", "0", "subscription", "orders"))
                .isEqualTo(2));
        assertThat(scraped.series()).anyMatch(line -> line.startsWith("caravan_delivery_latency_seconds_bucket"));
        context.stop();

        assertThat(scraped.series()).isEmpty();
    }

    @Test
    void of_two_contexts_with_one_registry_the_second_has_no_metrics_and_says_so() throws Exception {
        Scraped scraped = new Scraped();
        CamelContext first = start("one", scraped.registry, component -> {});
        try (WrittenLog log = WrittenLog.of(Metrics.class)) {
            CamelContext second = start("other", scraped.registry, component -> {});

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("of the context other", "give each context its own bean metricsRegistry");
            second.stop();
        }
        assertThat(scraped.series()).isNotEmpty();
        first.stop();
        start("again", scraped.registry, component -> {});
        assertThat(scraped.series()).isNotEmpty();
    }

    /** As in an application of Spring Boot with two registries. */
    @Test
    void of_several_registries_the_composite_has_the_metrics() throws Exception {
        Scraped scraped = new Scraped();
        var all = new CompositeMeterRegistry();
        all.add(scraped.registry);

        start("one", component -> {}, new SimpleMeterRegistry(), scraped.registry, all);

        assertThat(scraped.series()).isNotEmpty();
    }

    @Test
    void with_several_registries_and_no_composite_there_are_no_metrics_and_the_log_says_so() throws Exception {
        Scraped scraped = new Scraped();
        try (WrittenLog log = WrittenLog.of(Metrics.class)) {
            start("one", component -> {}, new SimpleMeterRegistry(), scraped.registry);

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("adds no metrics", "meters0, meters1", "the name metricsRegistry");
        }
        assertThat(scraped.series()).isEmpty();
    }

    @Test
    void the_checks_are_in_the_registry_of_the_context_until_it_stops() throws Exception {
        CamelContext context = start("one", component -> {});
        HealthCheckRegistry.get(context).setExposureLevel("full");

        eventually(() -> assertThat(HealthCheckHelper.invoke(context))
                .extracting(result -> result.getCheck().getId())
                .contains("lanes-turn", "housekeeping-turns", "database", "subscription-orders"));
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        context.getRouteController().stopAllRoutes();
        component(context).stop();

        assertThat(registry.getCheck("database")).isEmpty();
        assertThat(registry.getRepository("caravan-subscriptions")).isEmpty();
    }

    private CamelContext start(String name, Consumer<OutboxComponent> options) throws Exception {
        return start(name, options, new MeterRegistry[0]);
    }

    private CamelContext start(String name, MeterRegistry registry, Consumer<OutboxComponent> options)
            throws Exception {
        return start(name, options, registry);
    }

    private CamelContext start(String name, Consumer<OutboxComponent> options, MeterRegistry... registries)
            throws Exception {
        var context = new DefaultCamelContext();
        context.getCamelContextExtension().setName(name);
        contexts.add(context);
        for (int i = 0; i < registries.length; i++) {
            context.getRegistry().bind("meters" + i, registries[i]);
        }
        OutboxComponent component = new OutboxComponent();
        component.setCamelContext(context);
        component.setDataSource(outbox.dataSource());
        component.setRelay(name);
        options.accept(component);
        context.addComponent("outbox", component);
        RouteBuilder.addRoutes(
                context,
                routes -> routes.from("outbox:orders").routeId("orders").to("log:orders?level=OFF"));
        context.start();
        return context;
    }

    private static OutboxComponent component(CamelContext context) {
        return context.getComponent("outbox", OutboxComponent.class);
    }

    /** The name of the instance that has the lease; null if none has it. */
    private String holder() {
        return outbox.text("select relay from outbox_lease where until > clock_timestamp()");
    }

    private static double delivered(MeterRegistry registry) {
        var counter = registry.find("caravan.delivered.messages").functionCounter();
        return counter == null ? 0 : counter.count();
    }
}
