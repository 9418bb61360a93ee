package dev.caravan.relay.monitoring;

import dev.caravan.camel.monitoring.Check;
import dev.caravan.camel.monitoring.Upkeep;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.routes.context.FilesNotLoaded;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.health.HealthCheckRegistry;

/** Registers the metrics and health checks that a relay has beside those of the component {@code outbox}. */
public final class Monitoring {
    private static final String NAMES = "caravan.";

    private Monitoring() {}

    /** Registers the meters. */
    public static void measure(MeterRegistry registry, FilesNotLoaded filesNotLoaded) {
        BuildInfo.register(registry);
        Gauge.builder(
                        NAMES + "route.files.not.loaded",
                        () -> filesNotLoaded.names().size())
                .description("Changed route files that this relay could not load")
                .register(registry);
    }

    /** Registers the checks, if the context has any. */
    public static void check(CamelContext context, FilesNotLoaded filesNotLoaded) {
        replaceStarted(context, new Check("context", Check.Kind.READY, () -> starting(context)));
        register(context, Check.ofState("route-files", () -> routeFiles(filesNotLoaded)));
    }

    /**
     * Registers the metrics and checks of a process without routes, which watches the outbox.
     *
     * @param unanswered why the database does not answer; empty if it does
     */
    public static void watch(CamelContext context, Sampler sampler, Supplier<Optional<String>> unanswered) {
        Upkeep.watch(context, sampler);
        replaceStarted(context, new Check("database", Check.Kind.READY, unanswered));
    }

    /** In place of Camel's check, which would cause restarts while the relay starts and waits for the database. */
    private static void replaceStarted(CamelContext context, Check check) {
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        if (registry != null) {
            registry.getCheck("context").ifPresent(registry::unregister);
            register(context, check);
        }
    }

    private static void register(CamelContext context, Check check) {
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        if (registry != null) {
            check.setCamelContext(context);
            registry.register(check);
        }
    }

    private static Optional<String> starting(CamelContext context) {
        return context.isStarted()
                ? Optional.empty()
                : Optional.of("The routes have not started: the relay is "
                        + context.getStatus().name().toLowerCase(Locale.ROOT));
    }

    private static String routeFiles(FilesNotLoaded filesNotLoaded) {
        Set<String> notLoaded = filesNotLoaded.names();
        return notLoaded.isEmpty()
                ? "all changes are loaded"
                : "degraded: could not load " + String.join(", ", notLoaded) + "; the log of this relay says why";
    }
}
