package dev.caravan.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.adopt.intake.IntakeRoutes;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.Formatted;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.outbox.Tracing;
import dev.caravan.console.api.ManagementServer;
import dev.caravan.console.api.ServedBy;
import dev.caravan.database.Database;
import dev.caravan.database.OutboxSchema;
import dev.caravan.operate.housekeeping.HousekeepingSettings;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running relay in this process. The outbox component has its own connections, which notices and the metrics of captures share. There is a pool
 * named {@code dataSource} for the routes.
 */
public final class Relay implements Running {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /** The time for which Camel waits until all routes have stopped. */
    static final Duration SHUTDOWN = Duration.ofSeconds(10);

    /** For which a message waits for the route that it calls. Camel's half minute would hold back others when an address is computed. */
    private static final Duration MISSING_ROUTE = Duration.ofSeconds(1);

    /** The setting has Camel's name, but {@link LiveReload} loads changed files, not Camel. */
    private static final String LIVE_RELOAD = "camel.main.routesReloadEnabled";

    private final ManagedCamel camel;
    private final Tracing tracing;
    private final HikariDataSource routesPool;
    private final OutboxComponent outbox;
    private final FilesNotLoaded filesNotLoaded = new FilesNotLoaded();
    private Optional<NoticeRounds> notices = Optional.empty();
    private Optional<LiveReload> liveReload = Optional.empty();
    private Optional<IntakeRoutes> intakes = Optional.empty();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Relay(Settings settings, BeforeRoutes beforeRoutes) throws IOException {
        tracing = tracing(settings); // first, because a wrong setting fails here before anything is opened
        routesPool = Database.routesPool(settings);
        outbox = outboxComponent(settings);
        outbox.lanes().listen(new ConnectionPools(outbox.lanes(), routesPool));
        camel = new ManagedCamel(settings, UserJars.of(settings).classLoader(), properties(settings));
        CamelMain main = camel.main();
        main.bind("dataSource", routesPool);
        main.bind("outbox", outbox);
        main.bind("filesNotLoaded", filesNotLoaded);
        monitor(settings);
        camel.serve(ServedBy::relay, outbox::sampler, outbox::recentSamples, beforeRoutes);
    }

    /** Adds the metrics, checks and notices that only a relay has. The component adds its own metrics to the same registry. */
    private void monitor(Settings settings) {
        Optional<PrometheusMeterRegistry> registry = camel.metrics();
        camel.whenConfigured(context -> {
            context.getComponent("outbox"); // with its options, also if no route uses it
            registry.ifPresent(all -> {
                Monitoring.measure(all, filesNotLoaded);
                CaptureMeter.add(all, outbox.sampler());
            });
            Monitoring.check(context, filesNotLoaded);
            notices = NoticeRounds.from(settings, outbox.sampler(), outbox.recentSamples(), filesNotLoaded);
        });
    }

    /** The sampler of all subscriptions. */
    public Sampler sampler() {
        return outbox.sampler();
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
            relay.camel.start();
            relay.intakes = IntakeRoutes.start(relay.context(), settings, relay.outbox.getRelay());
            relay.notices.ifPresent(NoticeRounds::start);
            if (settings.flag(LIVE_RELOAD, true)) {
                var loaded = new LoadedFiles(relay.context(), folder, files, relay.camel.lookups(), Clock.SYSTEM);
                relay.liveReload = Optional.of(LiveReload.start(folder, loaded, changedSettings, relay.filesNotLoaded));
            } else {
                RouteFiles.unrecognized(folder).forEach(LiveReload::report);
            }
            relay.reportReady();
            return relay;
        } catch (Exception e) {
            relay.close();
            throw relay.camel.isRefused() ? e : new RelayStartException(e, relay.camel.lookups());
        }
    }

    private void reportReady() {
        long subscriptions = RouteOutline.all(context()).stream()
                .flatMap(route -> route.subscription().stream())
                .distinct()
                .count();
        LOG.info(
                "The relay is ready: {}{}, error handling: {}{}",
                Formatted.counted(subscriptions, "subscription"),
                intakes.map(running -> ", " + Formatted.counted(running.size(), "intake"))
                        .orElse(""),
                String.join(", ", RouteOutline.errorHandling(context())),
                camel.console().map(address -> ", console: " + address).orElse(""));
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
        component.setErrorHandling(false); // the relay loads the file of the routes folder, or the built-in one
        HousekeepingSettings housekeeping = HousekeepingSettings.from(settings);
        component.setPartitionSize(housekeeping.partitionSize());
        component.setRetention(housekeeping.retention().toString());
        component.setIdempotentRetention(option(housekeeping.idempotentRetention()));
        component.setDiscardedRetention(option(housekeeping.discardedRetention()));
        component.setAuditRetention(option(housekeeping.auditRetention()));
        component.setTracing(tracing);
        return component;
    }

    private static String option(Duration time) {
        return time.toSeconds() + "s";
    }

    /** Loads no class of OpenTelemetry while tracing is disabled. */
    private static Tracing tracing(Settings settings) {
        return settings.flag("caravan.tracing", false) ? OpenTelemetryTracing.start(settings) : Tracing.OFF;
    }

    private static Properties properties(Settings settings) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("camel.main.routesIncludePattern", RouteFiles.pattern(folder(settings)));
        properties.setProperty("camel.main.shutdownTimeout", Long.toString(SHUTDOWN.toSeconds()));
        properties.setProperty("camel.component.direct.timeout", Long.toString(MISSING_ROUTE.toMillis()));
        properties.putAll(CamelSettings.of(settings.all()));
        properties.setProperty(LIVE_RELOAD, "false"); // Camel waits for file events: LiveReload replaces it
        return properties;
    }

    /** The Camel context, for tests and tools. */
    public CamelContext context() {
        return camel.context();
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Starts no more deliveries, waits for those in flight, saves, releases the leases and closes. Idempotent. */
    @Override
    public void close() {
        try {
            liveReload.ifPresent(LiveReload::close);
            notices.ifPresent(NoticeRounds::close);
            camel.close();
        } finally {
            intakes.ifPresent(IntakeRoutes::close);
            routesPool.close();
            tracing.close();
            ended.countDown();
        }
    }
}
