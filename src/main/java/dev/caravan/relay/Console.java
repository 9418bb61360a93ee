package dev.caravan.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.console.api.ManagementServer;
import dev.caravan.console.api.ServedBy;
import dev.caravan.database.Connections;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.relay.monitoring.BuildInfo;
import dev.caravan.relay.monitoring.CaptureMeter;
import dev.caravan.relay.monitoring.Monitoring;
import dev.caravan.routes.context.CamelSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The management server of an outbox whose routes run elsewhere, in relays or in applications: API, console, health and metrics. It takes no lane,
 * does no housekeeping and writes no notices. It has two connections that sample the subscriptions, and those of the API.
 */
public final class Console implements Running {
    private static final Logger LOG = LoggerFactory.getLogger(Console.class);

    /** The settings of Camel that the management server reads. The others belong to routes. */
    private static final List<String> CAMEL =
            List.of("camel.management.", "camel.health.", "camel.metrics.", "camel.ssl.", "camel.vault.");

    /** The age of the last sample from which on the database does not answer. */
    private static final Duration OLD = Sampler.INTERVAL.multipliedBy(3);

    private final ManagedCamel camel;
    private final HikariDataSource monitoringPool;
    private final Sampler sampler;
    private final CountDownLatch ended = new CountDownLatch(1);

    private Console(Settings settings) {
        monitoringPool = Connections.of(settings).monitoringPool();
        sampler = new Sampler(monitoringPool, Retention.from(settings), Clock.SYSTEM);
        RecentSamples samples = new RecentSamples();
        sampler.listen(samples::add);
        camel = new ManagedCamel(settings, Console.class.getClassLoader(), properties(settings));
        camel.metrics().ifPresent(registry -> {
            BuildInfo.register(registry);
            CaptureMeter.add(registry, sampler);
        });
        camel.whenConfigured(context -> Monitoring.watch(context, sampler, this::unanswered));
        camel.serve(context -> ServedBy.console(), () -> sampler, () -> samples, BeforeRoutes.NOTHING);
    }

    /**
     * Starts the server; returns when it answers. The database may be unavailable: the pages say so.
     *
     * @throws SettingsException if the management server would be open to everyone
     * @throws RelayStartException if its port is in use
     */
    public static Console start(Settings settings) {
        settings().forEach(setting -> setting.accept(settings)); // before opening anything
        ManagementPort.requireFree(settings);
        Console console = new Console(settings);
        try {
            console.sampler.start();
            console.camel.start();
            LOG.info("The console is ready: {}", console.camel.console().orElse(""));
            return console;
        } catch (Exception e) {
            console.close();
            throw RelayStartException.ofConsole(e, console.camel.lookups());
        }
    }

    /** One reader for each setting of the management server, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return ManagementServer.settings();
    }

    /** Whether the console uses a setting of Camel. */
    public static boolean uses(String setting) {
        return CAMEL.stream().anyMatch(setting::startsWith);
    }

    private static Properties properties(Settings settings) {
        Map<String, String> used = settings.all().entrySet().stream()
                .filter(setting -> uses(setting.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        Properties properties = CamelSettings.of(used);
        properties.keySet().removeIf(name -> name.toString().startsWith("camel.component."));
        properties.setProperty("camel.main.routesCollectorEnabled", "false");
        properties.setProperty("camel.management.enabled", "true");
        return properties;
    }

    /** Why the database does not answer; empty if it does. What a role with fewer rights than a relay may not do is no reason. */
    private Optional<String> unanswered() {
        boolean answers = sampler.unavailableSince().isEmpty()
                && sampler.age().filter(age -> age.compareTo(OLD) <= 0).isPresent();
        return answers
                ? Optional.empty()
                : Optional.of(sampler.problem().orElse("The database has not answered for some time"));
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Answers no more requests. Jobs stop after their current step; whoever does the housekeeping continues them. Idempotent. */
    @Override
    public void close() {
        try {
            sampler.close();
            camel.close();
        } finally {
            monitoringPool.close();
            ended.countDown();
        }
    }
}
