package dev.caravan.relay.monitoring;

import dev.caravan.routes.context.FilesNotLoaded;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.camel.CamelContext;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;

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
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        if (registry != null) {
            registry.getCheck("context").ifPresent(registry::unregister);
            registry.register(new Started(context));
            registry.register(new RouteFiles(context, filesNotLoaded));
        }
    }

    /** Replaces Camel's check of this name, which would cause restarts while the relay starts and waits for the database. */
    private static final class Started extends AbstractHealthCheck {
        Started(CamelContext context) {
            super("caravan", "context");
            setCamelContext(context);
        }

        @Override
        public boolean isLiveness() {
            return false;
        }

        @Override
        protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            if (getCamelContext().isStarted()) {
                result.up();
            } else {
                result.down()
                        .message("The routes have not started: the relay is "
                                + getCamelContext().getStatus().name().toLowerCase(Locale.ROOT));
            }
        }
    }

    /** Never DOWN, because a restart of the relay would not change the files. */
    private static final class RouteFiles extends AbstractHealthCheck {
        private final FilesNotLoaded filesNotLoaded;

        RouteFiles(CamelContext context, FilesNotLoaded filesNotLoaded) {
            super("caravan", "route-files");
            this.filesNotLoaded = filesNotLoaded;
            setCamelContext(context);
        }

        @Override
        public boolean isLiveness() {
            return false;
        }

        @Override
        public boolean isReadiness() {
            return false;
        }

        @Override
        protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            Set<String> notLoaded = filesNotLoaded.names();
            result.up()
                    .message(
                            notLoaded.isEmpty()
                                    ? "all changes are loaded"
                                    : "degraded: could not load " + String.join(", ", notLoaded)
                                            + "; the log of this relay says why");
        }
    }
}
