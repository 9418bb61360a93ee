package dev.caravan.relay.monitoring;

import dev.caravan.engine.loop.LoopLiveness;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.RouteLanes;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.routes.context.FilesNotLoaded;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.impl.health.AbstractHealthCheck;

/** Registers the metrics and health checks of a relay with Camel. */
public final class Monitoring {
    private static final String NAMES = "caravan.";

    /** Long, because housekeeping tasks may copy or drop whole partitions. */
    private static final Duration HOUSEKEEPING_TIMEOUT = Duration.ofMinutes(15);

    private final RouteLanes lanes;
    private final Sampler sampler;
    private final Supplier<Duration> housekeepingAge;
    private final Duration loopTimeout;
    private final FilesNotLoaded filesNotLoaded;

    /** As after which a lane warns in the log. */
    private static final Duration LONG_ATTEMPT = Duration.ofMinutes(5);

    /**
     * @param housekeepingAge time since the last housekeeping task ended
     * @param loopTimeout time without a completed turn, beyond its own pauses, after which the loop of a lane is considered hanging;
     *     longer than the longest wait for the database
     */
    public Monitoring(
            RouteLanes lanes,
            Sampler sampler,
            Supplier<Duration> housekeepingAge,
            Duration loopTimeout,
            FilesNotLoaded filesNotLoaded) {
        this.lanes = lanes;
        this.sampler = sampler;
        this.housekeepingAge = housekeepingAge;
        this.loopTimeout = loopTimeout;
        this.filesNotLoaded = filesNotLoaded;
    }

    /** Registers the meters. */
    public void measure(PrometheusMeterRegistry registry) {
        Gauge.builder(
                        NAMES + "route.files.not.loaded",
                        () -> filesNotLoaded.names().size())
                .description("Changed route files that this relay could not load")
                .register(registry);
        LaneMeters ofLanes = new LaneMeters();
        lanes.listen(ofLanes);
        registry.getPrometheusRegistry().register(ofLanes);
        measureSamples(registry, sampler);
    }

    /** Registers the meters of a process without lanes. */
    public static void measureSamples(PrometheusMeterRegistry registry, Sampler sampler) {
        BuildInfo.register(registry);
        registry.getPrometheusRegistry().register(new SampleMeters(sampler));
    }

    /** Registers the checks, if the context has any. */
    public void check(CamelContext context) {
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        if (registry != null) {
            registry.getCheck("context").ifPresent(registry::unregister);
            register(context, new Check("context", Check.Kind.READY, () -> starting(context)));
            register(context, new Check("lanes-turn", Check.Kind.LIVE, this::hangingLane));
            register(context, new Check("housekeeping-turns", Check.Kind.LIVE, this::hangingHousekeeping));
            register(context, new Check("database", Check.Kind.READY, sampler::problem));
            register(context, Check.ofState("route-files", this::routeFiles));
            registry.register(new SubscriptionChecks(sampler, lanes, LONG_ATTEMPT));
        }
    }

    /**
     * Registers the checks of a process without lanes, if the context has any.
     *
     * @param unanswered why the database does not answer; empty if it does
     */
    public static void checkSamples(CamelContext context, Sampler sampler, Supplier<Optional<String>> unanswered) {
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        if (registry != null) {
            registry.getCheck("context").ifPresent(registry::unregister);
            register(context, new Check("database", Check.Kind.READY, unanswered));
            registry.register(new SubscriptionChecks(sampler, new RouteLanes(), LONG_ATTEMPT));
        }
    }

    private static void register(CamelContext context, AbstractHealthCheck check) {
        check.setCamelContext(context);
        HealthCheckRegistry.get(context).register(check);
    }

    /** Replaces Camel's check of this name, which would cause restarts while the relay starts and waits for the database. */
    private static Optional<String> starting(CamelContext context) {
        return context.isStarted()
                ? Optional.empty()
                : Optional.of("The routes have not started: the relay is "
                        + context.getStatus().name().toLowerCase(Locale.ROOT));
    }

    private String routeFiles() {
        Set<String> notLoaded = filesNotLoaded.names();
        return notLoaded.isEmpty()
                ? "all changes are loaded"
                : "degraded: could not load " + String.join(", ", notLoaded) + "; the log of this relay says why";
    }

    private Optional<String> hangingLane() {
        return lanes.all().stream().flatMap(lane -> hanging(lane).stream()).findFirst();
    }

    private Optional<String> hanging(RouteLane lane) {
        LoopLiveness liveness = lane.liveness();
        Duration limit = liveness.longestPause().plus(loopTimeout);
        return liveness.running()
                ? Check.overdue(
                        "The loop of " + lane.subscription() + " (lane " + lane.number() + ")", liveness.age(), limit)
                : Optional.empty();
    }

    private Optional<String> hangingHousekeeping() {
        return Check.overdue("Housekeeping", housekeepingAge.get(), HOUSEKEEPING_TIMEOUT);
    }
}
