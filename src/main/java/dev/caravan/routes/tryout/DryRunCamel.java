package dev.caravan.routes.tryout;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsFirst;
import dev.caravan.camel.guard.MessageIds;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.routes.component.UserJars;
import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.context.CamelMain;
import dev.caravan.routes.context.CamelSettings;
import dev.caravan.routes.context.MissingClasses;
import dev.caravan.routes.context.RouteFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.apache.camel.CamelContext;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.MainListenerSupport;
import org.apache.camel.main.SimpleMainShutdownStrategy;
import org.apache.camel.model.Model;
import org.apache.camel.model.ModelLifecycleStrategySupport;
import org.apache.camel.model.RouteDefinition;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Camel with the settings and routes of a relay, and a context that records. */
final class DryRunCamel extends CamelMain {
    /** Disabled, because they open ports or register beans that a relay in this process may have. */
    private static final Set<String> OFF = Set.of(
            "camel.management.enabled",
            "camel.server.enabled",
            "camel.metrics.enabled",
            "camel.health.enabled",
            "camel.main.jmxEnabled",
            "camel.main.routesReloadEnabled",
            "camel.main.autoConfigurationLogSummary");

    /** The schemes of sources within the process. Routes with other sources are created but not started. */
    private static final Set<String> STARTED = Set.of("outbox", "direct", "seda", "kamelet", "stub", "mock");

    private final Recorder recorder;
    private final boolean executesSql;
    private final MemoryIds ids = new MemoryIds();
    private final Lookups lookups;

    DryRunCamel(DryRunOptions options, Recorder recorder) throws IOException {
        super(UserJars.of(options.settings).classLoader());
        this.recorder = recorder;
        lookups = new Lookups(options.settings);
        executesSql = options.database != null;
        boolean inMemory = !executesSql || options.sends;
        setDefaultPropertyPlaceholderLocation("false");
        setShutdownStrategy(new SimpleMainShutdownStrategy()); // the default strategy delays Ctrl-C by 16 s
        setInitialProperties(properties(options));
        bind("dataSource", executesSql ? options.database : new NoDatabase());
        if (inMemory) {
            bind(MessageIds.BEAN, new MessageIds(ids::table));
        }
        OutboxComponent outbox = new OutboxComponent();
        outbox.setErrorHandling(false); // the files are loaded as by a relay
        JdbcTemplate jdbc = inMemory ? null : new JdbcTemplate(options.database);
        outbox.setOnDemand(statement -> RecordedSql.append(statement, recorder, jdbc));
        bind("outbox", outbox);
        options.beans.forEach(this::bind);
        options.builders.forEach(configure()::addRoutesBuilder);
        options.configuration.accept(this);
        addMainListener(new MainListenerSupport() {
            @Override
            public void beforeConfigure(BaseMainSupport main) {
                startOnlySourcesInside(main.getCamelContext());
                ids.replaceIn(main.getCamelContext(), inMemory, options.beans.values());
                main.getCamelContext()
                        .getCamelContextExtension()
                        .addLogListener((exchange, logger, message) -> "(dry run) " + message);
            }
        });
    }

    MemoryIds ids() {
        return ids;
    }

    Lookups lookups() {
        return lookups;
    }

    private static Properties properties(DryRunOptions options) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("camel.main.name", "caravan-dry-run");
        properties.setProperty("camel.main.sourceLocationEnabled", "true");
        properties.setProperty("camel.main.logName", "${routeId}"); // with source locations it would be file and line
        properties.setProperty("camel.main.shutdownTimeout", "1");
        properties.setProperty("camel.main.shutdownNowOnTimeout", "true");
        properties.putAll(CamelSettings.of(options.settings.all()));
        ClassLoader jars = UserJars.of(options.settings).classLoader();
        // A relay refuses settings that name missing classes. A dry run ignores them, so that other routes can be
        // tried.
        properties
                .keySet()
                .removeAll(MissingClasses.of(options.settings.all(), jars).keySet());
        OFF.forEach(name -> properties.setProperty(name, "false"));
        properties.setProperty("camel.main.routesIncludePattern", files(options));
        return properties;
    }

    /** The files that a relay would load, each as a pattern of its own. */
    private static String files(DryRunOptions options) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        Map<String, String> locations = new TreeMap<>(BuiltInRoutes.LAST);
        Path folder = folder(options.settings);
        if (options.folder && Files.isDirectory(folder)) {
            texts.putAll(RouteFiles.in(folder));
            texts.keySet().removeAll(options.leftOut);
            texts.keySet().forEach(name -> locations.put(name, "file:" + folder.resolve(name)));
        }
        for (Path file : options.files) {
            String name = file.getFileName().toString();
            texts.put(name, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
            locations.put(name, "file:" + file);
        }
        BuiltInRoutes.besides(texts).keySet().forEach(name -> locations.put(name, BuiltInRoutes.location(name)));
        if (!options.builders.isEmpty()) {
            locations.remove(BuiltInRoutes.DEAD_LETTER); // a builder may have such a route
        }
        return String.join(",", locations.values());
    }

    static Path folder(Settings settings) {
        return Path.of(settings.text("caravan.routes", "routes"))
                .toAbsolutePath()
                .normalize();
    }

    @Override
    protected CamelContext createCamelContext() {
        RecordingContext context =
                new RecordingContext(registry, recorder, new RecordedKafka(recorder, classLoader()), executesSql);
        context.setApplicationContextClassLoader(classLoader());
        SettingsFirst.in(context, lookups);
        return context;
    }

    private static void startOnlySourcesInside(CamelContext context) {
        Model model = context.getCamelContextExtension().getContextPlugin(Model.class);
        model.addModelLifecycleStrategy(new ModelLifecycleStrategySupport() {
            @Override
            public void onAddRouteDefinition(RouteDefinition route) {
                String from = route.getInput().getEndpointUri();
                if (!STARTED.contains(from.replaceFirst("[:?].*", ""))) {
                    route.setAutoStartup("false");
                }
            }
        });
    }

    /** The bean {@code dataSource} of a dry run without a database. */
    private static final class NoDatabase extends AbstractDataSource {
        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("A dry run opens no connection to a database. It records the endpoint sql: only");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }
}
