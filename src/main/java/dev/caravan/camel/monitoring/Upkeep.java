package dev.caravan.camel.monitoring;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.step.NeededLibrary;
import dev.caravan.engine.loop.RouteLanes;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.housekeeping.Housekeeping;
import dev.caravan.operate.housekeeping.HousekeepingSettings;
import dev.caravan.operate.watch.Sampler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.ExtendedStartupListener;
import org.apache.camel.Ordered;
import org.apache.camel.StartupListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a context does beside its routes: it samples the subscriptions, adds metrics and health checks to the registries of the context, and does
 * housekeeping.
 */
public final class Upkeep implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    /** The loop of a lane is considered hanging after this time plus the longest wait for the database. */
    private static final Duration LOOP_TIMEOUT = Duration.ofSeconds(30);

    /**
     * The options.
     *
     * @param housekeeping whether this instance may do housekeeping
     * @param monitoring whether it has metrics and health checks
     * @param relay the name of this instance
     * @param longestWait the longest wait for a database that does not respond
     */
    public record Options(
            boolean housekeeping,
            boolean monitoring,
            HousekeepingSettings settings,
            String relay,
            Duration longestWait) {}

    private final CamelContext context;
    private final RouteLanes lanes;
    private final Options options;
    private final Sampler sampler;
    private final RecentSamples samples = new RecentSamples();
    private final Housekeeping housekeeping;
    private final Deque<AutoCloseable> started = new ArrayDeque<>(); // newest first
    private boolean monitors;
    private boolean keepsHouse;

    /**
     * @param housekeeping provides up to two connections
     * @param monitoring provides two connections that are not shared
     */
    public Upkeep(
            CamelContext context,
            RouteLanes lanes,
            DataSource housekeeping,
            DataSource monitoring,
            Options options,
            Clock clock) {
        this.context = context;
        this.lanes = lanes;
        this.options = options;
        sampler = new Sampler(monitoring, options.settings.retention(), clock);
        sampler.listen(samples::add);
        this.housekeeping = new Housekeeping(housekeeping, options.settings, samples, options.relay, clock);
    }

    /**
     * Starts monitoring before the first route of a context runs, so that the first message is counted, and housekeeping when all routes have
     * started.
     *
     * @param upkeep empty if the component needs none
     */
    public static StartupListener atStart(Supplier<Optional<Upkeep>> upkeep) {
        return new AtStart(upkeep);
    }

    private record AtStart(Supplier<Optional<Upkeep>> upkeep) implements ExtendedStartupListener, Ordered {
        @Override
        public void onCamelContextStarting(CamelContext context, boolean alreadyStarted) {
            upkeep.get().ifPresent(Upkeep::monitor);
        }

        @Override
        public void onCamelContextStarted(CamelContext context, boolean alreadyStarted) {
            if (alreadyStarted) {
                upkeep.get().ifPresent(Upkeep::keepHouse);
            }
        }

        @Override
        public void onCamelContextFullyStarted(CamelContext context, boolean alreadyStarted) {
            upkeep.get().ifPresent(Upkeep::keepHouse);
        }

        /** Before the server of health and metrics. */
        @Override
        public int getOrder() {
            return HIGHEST;
        }
    }

    /** The sampler of all subscriptions, also of those that other instances work. */
    public Sampler sampler() {
        return sampler;
    }

    /** The samples of the last hour. */
    public RecentSamples samples() {
        return samples;
    }

    private synchronized void monitor() {
        if (monitors) {
            return;
        }
        monitors = true;
        if (options.monitoring) {
            measure();
            check();
        }
        if (options.monitoring || options.housekeeping) {
            sampler.start();
            started.push(sampler);
        }
    }

    private void measure() {
        if (!NeededLibrary.isPresent("io.micrometer.core.instrument.MeterRegistry")) {
            return;
        }
        LaneMeters ofLanes = new LaneMeters();
        Metrics.add(context, List.of(ofLanes, new SampleMeters(sampler))).ifPresent(metrics -> {
            started.push(metrics);
            lanes.listen(ofLanes);
            started.push(() -> lanes.forget(ofLanes));
        });
    }

    private void check() {
        if (NeededLibrary.isPresent("org.apache.camel.impl.health.AbstractHealthCheck")) {
            HealthChecks.add(
                            context,
                            HealthChecks.ofLanes(
                                    lanes,
                                    sampler,
                                    housekeeping::sinceLastTask,
                                    LOOP_TIMEOUT.plus(options.longestWait)))
                    .ifPresent(started::push);
        }
    }

    /** Adds what a process without lanes can tell of the outbox, until it ends: the metrics of the sampler, and a check for each subscription. */
    public static void watch(CamelContext context, Sampler sampler) {
        Metrics.add(context, List.of(new SampleMeters(sampler)));
        HealthChecks.add(context, List.of(HealthChecks.ofSubscriptions(sampler, new RouteLanes())));
    }

    private synchronized void keepHouse() {
        monitor();
        if (options.housekeeping && !keepsHouse) {
            keepsHouse = true;
            housekeeping.start();
            started.push(housekeeping);
        }
    }

    /** Ends all of it, and removes the metrics and checks. It cannot be started again. */
    @Override
    public synchronized void close() {
        monitors = true;
        keepsHouse = true;
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                LOG.warn("Could not end a part of the upkeep of the outbox", e);
            }
        }
    }
}
