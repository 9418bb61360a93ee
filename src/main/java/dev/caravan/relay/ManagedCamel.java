package dev.caravan.relay;

import dev.caravan.base.settings.Settings;
import dev.caravan.console.api.ManagementServer;
import dev.caravan.console.api.ServedBy;
import dev.caravan.console.http.TimedConnections;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.relay.monitoring.OpenHealth;
import dev.caravan.routes.context.CamelMain;
import dev.caravan.routes.context.CamelSettings;
import dev.caravan.routes.tryout.Lookups;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.MainListenerSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Camel with the management server: health, metrics, the API and the console. A relay and a {@link Console} have one each. */
final class ManagedCamel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ManagedCamel.class);
    private static final String PATH = "camel.management.path";

    private final Settings settings;
    private final CamelMain main;
    private final Lookups lookups;
    private final TimedConnections vertx;
    private Optional<ManagementServer> server = Optional.empty();
    /** Also if there is no management server: its port may be that of another one. */
    private volatile boolean isServed;

    private Optional<Exception> startFailure = Optional.empty();

    /** @param loader finds the classes of the routes */
    ManagedCamel(Settings settings, ClassLoader loader, Properties properties) {
        this.settings = settings;
        lookups = new Lookups(settings);
        main = new CamelMain(loader, lookups);
        main.setDefaultPropertyPlaceholderLocation("false"); // the settings are already resolved
        properties.putIfAbsent("camel.main.name", "caravan");
        properties.putIfAbsent("camel.main.autoConfigurationLogSummary", "false");
        properties.setProperty("camel.management.host", ManagementServer.host(settings));
        if (!settings.text(PATH, "/").equals("/")) {
            LOG.warn("{} is ignored: the paths of the API and of the console are fixed. Remove it", PATH);
        }
        properties.setProperty(PATH, "/"); // the rights of the services of Camel depend on their paths
        main.setInitialProperties(properties);
        vertx = new TimedConnections(ManagementPort.of(settings), () -> isServed);
        main.bind("vertx", vertx);
        main.bind("health", new OpenHealth());
    }

    Lookups lookups() {
        return lookups;
    }

    CamelMain main() {
        return main;
    }

    CamelContext context() {
        return main.getCamelContext();
    }

    /** Creates the registry of the metrics, which Camel's metrics use too. Empty if no metrics are collected. Call it once, before the start. */
    Optional<PrometheusMeterRegistry> metrics() {
        if (!CamelSettings.hasMetrics(settings)) {
            return Optional.empty();
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        whenConfigured(EndpointNames::bind);
        main.bind(MicrometerConstants.METRICS_REGISTRY_NAME, registry);
        return Optional.of(registry);
    }

    void whenConfigured(Consumer<CamelContext> task) {
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void afterConfigure(BaseMainSupport configured) {
                task.accept(configured.getCamelContext());
            }
        });
    }

    /** Starts the API before the routes, so that it is available during a long start. Then waits until they can start. */
    void serve(
            Function<CamelContext, ServedBy> by,
            Supplier<Sampler> sampler,
            Supplier<RecentSamples> samples,
            BeforeRoutes beforeRoutes) {
        whenConfigured(context -> {
            var afterServerStart = new AfterServerStart(() -> {
                server = ManagementServer.start(settings, context, by.apply(context), sampler.get(), samples.get());
                isServed = true;
                await(beforeRoutes);
            });
            try {
                context.addStartupListener(afterServerStart);
            } catch (Exception e) {
                throw new IllegalStateException(e); // thrown only if the context is already running
            }
        });
    }

    private void await(BeforeRoutes beforeRoutes) throws Exception {
        try {
            beforeRoutes.await();
        } catch (Exception e) {
            startFailure = Optional.of(e);
            throw e;
        }
    }

    /** @throws Exception also what {@code beforeRoutes} throws */
    void start() throws Exception {
        try {
            main.start();
        } catch (Exception e) {
            throw startFailure.orElse(e);
        }
    }

    /** Whether {@link #start} failed because the routes must not start, and not because they could not. */
    boolean isRefused() {
        return startFailure.isPresent();
    }

    /** The address of the console; empty if the management server is disabled. */
    Optional<String> console() {
        return server.map(started -> ManagementServer.console(settings));
    }

    /** Answers no more requests, and stops the routes. */
    @Override
    public void close() {
        try {
            server.ifPresent(ManagementServer::close);
            main.stop();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
