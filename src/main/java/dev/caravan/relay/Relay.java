package dev.caravan.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.Formatted;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.outbox.Tracing;
import dev.caravan.console.api.ManagementServer;
import dev.caravan.console.http.TimedConnections;
import dev.caravan.database.Connections;
import dev.caravan.database.Database;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.schema.IdempotentIds;
import dev.caravan.engine.loop.RouteLanes;
import dev.caravan.operate.audit.AuditRetention;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.StoredHistory;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.Partitions;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.relay.monitoring.CaptureMeter;
import dev.caravan.relay.monitoring.Monitoring;
import dev.caravan.relay.tracing.OpenTelemetryTracing;
import dev.caravan.routes.component.UserJars;
import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.context.CamelMain;
import dev.caravan.routes.context.CamelSettings;
import dev.caravan.routes.context.FilesNotLoaded;
import dev.caravan.routes.context.RouteFiles;
import dev.caravan.routes.context.RouteOutline;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.MainListenerSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running relay in this process. The outbox component has its own connections. There is a pool named {@code dataSource} for
 * the routes, one for housekeeping and notices, and one with two connections that samples the subscriptions and partitions for metrics and health.
 */
public final class Relay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /** The loop of a lane is considered hanging after this time plus the longest wait for the database. */
    private static final Duration LOOP_TIMEOUT = Duration.ofSeconds(30);

    /** The time for which Camel waits until all routes have stopped. */
    static final Duration SHUTDOWN = Duration.ofSeconds(10);

    /** The setting has Camel's name, but {@link LiveReload} loads changed files, not Camel. */
    private static final String LIVE_RELOAD = "camel.main.routesReloadEnabled";

    private final CamelMain main;
    private final TimedConnections vertx;
    private final Tracing tracing;
    private final HikariDataSource routesPool;
    private final HikariDataSource housekeepingPool;
    private final HikariDataSource monitoringPool;
    private final Housekeeping housekeeping;
    private final Sampler sampler;
    private final RecentSamples samples = new RecentSamples();
    private final FilesNotLoaded filesNotLoaded = new FilesNotLoaded();
    private final Optional<NoticeRounds> notices;
    private Optional<ManagementServer> server = Optional.empty();
    private Optional<LiveReload> liveReload = Optional.empty();
    private final CountDownLatch ended = new CountDownLatch(1);
    private Optional<Exception> startFailure = Optional.empty();

    private Relay(Settings settings, BeforeRoutes beforeRoutes) throws IOException {
        tracing = tracing(settings); // first, because a wrong setting fails here before anything is opened
        routesPool = Database.routesPool(settings);
        housekeepingPool = Connections.of(settings).housekeepingPool();
        monitoringPool = Connections.of(settings).monitoringPool();
        sampler = new Sampler(monitoringPool, Retention.from(settings), Clock.SYSTEM);
        housekeeping = new Housekeeping(
                Partitions.from(settings, housekeepingPool),
                new PruneRound(housekeepingPool, Retention.from(settings)),
                IdempotentIds.from(settings, housekeepingPool),
                Discards.from(settings, housekeepingPool),
                AuditRetention.from(settings, housekeepingPool),
                new Jobs(housekeepingPool),
                new StoredHistory(housekeepingPool),
                samples,
                Clock.SYSTEM);
        sampler.listen(samples::add);
        notices = NoticeRounds.from(settings, housekeepingPool, sampler, samples, filesNotLoaded);
        OutboxComponent outbox = outboxComponent(settings);
        outbox.lanes().listen(new ConnectionPools(outbox.lanes(), routesPool));
        main = new CamelMain(UserJars.of(settings).classLoader());
        main.setDefaultPropertyPlaceholderLocation("false"); // the settings are already resolved
        main.setInitialProperties(properties(settings));
        main.bind("dataSource", routesPool);
        main.bind("outbox", outbox);
        vertx = new TimedConnections(ManagementPort.of(settings));
        main.bind("vertx", vertx);
        main.bind("filesNotLoaded", filesNotLoaded);
        monitor(settings, outbox.lanes());
        beforeRoutes(settings, beforeRoutes);
    }

    /** Registers the metrics before any route runs, so that the first message is counted. */
    private void monitor(Settings settings, RouteLanes lanes) {
        Monitoring monitoring = new Monitoring(
                lanes,
                sampler,
                housekeeping::sinceLastTask,
                LOOP_TIMEOUT.plus(Connections.of(settings).longestWait()),
                filesNotLoaded);
        if (CamelSettings.hasMetrics(settings)) {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            main.bind(MicrometerConstants.METRICS_REGISTRY_NAME, registry); // Camel's metrics use it too
            monitoring.measure(registry);
            sampler.listen(new CaptureMeter(registry, monitoringPool));
        }
        whenConfigured(monitoring::check);
    }

    /** Starts the API before the routes, so that it is available during a long start. Then waits until they can start. */
    private void beforeRoutes(Settings settings, BeforeRoutes beforeRoutes) {
        whenConfigured(context -> {
            var afterServerStart = new AfterServerStart(() -> {
                server = ManagementServer.start(settings, context, sampler, samples);
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

    private void whenConfigured(Consumer<CamelContext> task) {
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void afterConfigure(BaseMainSupport configured) {
                task.accept(configured.getCamelContext());
            }
        });
    }

    /** The sampler of all subscriptions. */
    public Sampler sampler() {
        return sampler;
    }

    /** One reader for each setting of the management server and of tracing, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        List<Consumer<Settings>> readers = new ArrayList<>(ManagementServer.settings());
        readers.add(settings -> tracing(settings).close());
        readers.add(LogEncoder::check);
        return readers;
    }

    /**
     * Starts the routes of the folder {@code caravan.routes}; returns when all have started.
     *
     * @throws SettingsException if the management server would be open to everyone, or tracing cannot be set up
     * @throws RelayStartException if a route cannot be started, or the port of the management server is in use; everything is
     *     stopped then
     */
    public static Relay start(Settings settings) {
        try {
            return start(settings, BeforeRoutes.NOTHING);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e); // nothing else throws a checked exception
        }
    }

    /**
     * As {@link #start(Settings)}, but serves health, metrics and the API first, and starts the routes when {@code beforeRoutes} returns.
     *
     * @throws Exception what {@code beforeRoutes} throws; everything is stopped then
     */
    public static Relay start(Settings settings, BeforeRoutes beforeRoutes) throws Exception {
        Path folder = folder(settings);
        requireRoutes(folder);
        ManagementServer.settings().forEach(setting -> setting.accept(settings)); // before opening anything
        ManagementPort.requireFree(settings);
        try (var jars = UserJars.of(settings).use()) {
            return startWithJars(settings, beforeRoutes, folder);
        }
    }

    private static Relay startWithJars(Settings settings, BeforeRoutes beforeRoutes, Path folder) throws Exception {
        Relay relay = new Relay(settings, beforeRoutes);
        try {
            Map<String, String> files =
                    BuiltInRoutes.with(RouteFiles.in(folder)); // before Camel reads them, to detect later changes
            ChangedSettings changedSettings = ChangedSettings.since(folder);
            relay.sampler.start();
            relay.main.start();
            relay.housekeeping.start();
            relay.notices.ifPresent(NoticeRounds::start);
            if (settings.flag(LIVE_RELOAD, true)) {
                var loaded = new LoadedFiles(relay.context(), folder, files, Clock.SYSTEM);
                relay.liveReload = Optional.of(LiveReload.start(folder, loaded, changedSettings, relay.filesNotLoaded));
            } else {
                RouteFiles.unrecognized(folder).forEach(LiveReload::report);
            }
            relay.reportReady(settings);
            return relay;
        } catch (Exception e) {
            relay.close();
            throw relay.startFailure.orElse(new RelayStartException(e));
        }
    }

    private void reportReady(Settings settings) {
        long subscriptions = RouteOutline.all(context()).stream()
                .flatMap(route -> route.subscription().stream())
                .distinct()
                .count();
        LOG.info(
                "The relay is ready: {}, error handling: {}{}",
                Formatted.counted(subscriptions, "subscription"),
                String.join(", ", RouteOutline.errorHandling(context())),
                server.isPresent() ? ", console: " + ManagementServer.console(settings) : "");
    }

    /** The reload of changed route files, for tests. */
    LiveReload liveReload() {
        return liveReload.orElseThrow();
    }

    private static Path folder(Settings settings) {
        return Path.of(settings.text("caravan.routes", "routes")).toAbsolutePath();
    }

    private static void requireRoutes(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new RelayStartException("Could not start the routes: the folder does not exist: " + folder
                    + ". Set caravan.routes (environment: CARAVAN_ROUTES) to the folder of your route files");
        }
    }

    private OutboxComponent outboxComponent(Settings settings) {
        OutboxComponent component = new OutboxComponent();
        component.setUrl(settings.text("caravan.db.url", Database.DEFAULT_URL));
        component.setUser(settings.text("caravan.db.user", null));
        component.setPassword(settings.text("caravan.db.password", null));
        component.setSchema(OutboxSchema.of(settings).name());
        component.setSchemaCheck(false); // the command run has checked the tables, and knows how to end
        component.setPresence(Database.isPresent(settings));
        component.setTracing(tracing);
        return component;
    }

    /** Loads no class of OpenTelemetry while tracing is disabled. */
    private static Tracing tracing(Settings settings) {
        return settings.flag("caravan.tracing", false) ? OpenTelemetryTracing.start(settings) : Tracing.OFF;
    }

    private static Properties properties(Settings settings) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("camel.main.name", "caravan");
        properties.setProperty("camel.main.autoConfigurationLogSummary", "false");
        properties.setProperty("camel.main.routesIncludePattern", RouteFiles.pattern(folder(settings)));
        properties.setProperty("camel.main.shutdownTimeout", Long.toString(SHUTDOWN.toSeconds()));
        properties.putAll(CamelSettings.of(settings.all()));
        properties.setProperty("camel.management.host", ManagementServer.host(settings));
        properties.setProperty(LIVE_RELOAD, "false"); // Camel waits for file events: LiveReload replaces it
        return properties;
    }

    /** The Camel context, for tests and tools. */
    public CamelContext context() {
        return main.getCamelContext();
    }

    /** Blocks until this relay is closed. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Starts no more deliveries, waits for those in flight, saves, releases the leases and closes. Idempotent. */
    @Override
    public void close() {
        try {
            liveReload.ifPresent(LiveReload::close);
            server.ifPresent(ManagementServer::close);
            sampler.close();
            housekeeping.close();
            notices.ifPresent(NoticeRounds::close);
            main.stop();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
            monitoringPool.close();
            housekeepingPool.close();
            routesPool.close();
            tracing.close();
            ended.countDown();
        }
    }
}
