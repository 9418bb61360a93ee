package dev.caravan.test;

import dev.caravan.base.settings.Settings;
import dev.caravan.routes.tryout.Answers;
import dev.caravan.routes.tryout.DryRun.TriedRoute;
import dev.caravan.routes.tryout.DryRunOptions;
import dev.caravan.routes.tryout.Secrets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.RoutesBuilder;

/** Builds a {@link RouteTest}: its routes, settings, beans and database. */
public final class RouteTestBuilder {
    private static final String BROKERS = "camel.component.kafka.brokers";

    /** Null for builders without files. */
    private final Path folder;

    private final List<Path> tested;
    private final List<RoutesBuilder> builders;
    private final List<Path> more = new ArrayList<>();
    private final Map<String, String> properties = new TreeMap<>();
    private final Map<String, Object> beans = new TreeMap<>();
    private Path settingsFile;
    private DataSource database;
    private Duration limit = Duration.ofSeconds(10);

    private RouteTestBuilder(Path folder, List<Path> tested, List<RoutesBuilder> builders) {
        this.folder = folder;
        this.tested = tested;
        this.builders = builders;
    }

    static RouteTestBuilder of(String... files) {
        if (files.length == 0) {
            throw new IllegalArgumentException("Name a route file");
        }
        List<Path> paths = Arrays.stream(files).map(RouteTestBuilder::existing).toList();
        if (paths.size() == 1 && Files.isDirectory(paths.get(0))) {
            return new RouteTestBuilder(paths.get(0), List.of(), List.of());
        }
        return new RouteTestBuilder(paths.get(0).getParent(), paths, List.of());
    }

    static RouteTestBuilder of(RoutesBuilder... builders) {
        return new RouteTestBuilder(null, List.of(), List.of(builders));
    }

    private static Path existing(String file) {
        Path path = Path.of(file).toAbsolutePath().normalize();
        if (!Files.exists(path)) {
            throw new IllegalArgumentException("Could not find " + file + " in the working directory "
                    + Path.of("").toAbsolutePath());
        }
        return path;
    }

    /**
     * Loads a further file whose routes are not tested, for example your own error handling for a route builder. The other files in the folder
     * of a tested file are always loaded, as by a relay.
     *
     * @throws IllegalArgumentException if it does not exist
     */
    public RouteTestBuilder with(String file) {
        more.add(existing(file));
        return this;
    }

    /**
     * Sets the settings file. Default: {@code application.properties} in the folder above the routes, if it exists. Files
     * {@code *.properties} in the folder of the routes are also read, as by a relay.
     *
     * @throws IllegalArgumentException if it does not exist
     */
    public RouteTestBuilder settings(String file) {
        settingsFile = existing(file);
        return this;
    }

    /** Sets a setting or a placeholder of the routes. It takes precedence over all files. */
    public RouteTestBuilder property(String name, String value) {
        properties.put(name, value);
        return this;
    }

    /** Binds an object that routes refer to by name, for example a stub for a bean. */
    public RouteTestBuilder bean(String name, Object bean) {
        beans.put(name, bean);
        return this;
    }

    /**
     * Executes the SQL of the routes and their idempotent repository in a database with the tables of Caravan, and appends messages to its
     * outbox. Without a database, statements are recorded and not executed, and message ids are remembered in memory.
     */
    public RouteTestBuilder database(DataSource real) {
        database = real;
        return this;
    }

    /** Sets how long one attempt may take before the test fails. Default: 10 s. */
    public RouteTestBuilder limit(Duration longest) {
        limit = longest;
        return this;
    }

    /** Creates the test. Its routes start before the first test method, or with the first message. */
    public RouteTest build() {
        return new RouteTest(this);
    }

    boolean hasDatabase() {
        return database != null;
    }

    DataSource requireDatabase() {
        if (database == null) {
            throw new IllegalStateException("There is no database: set one with RouteTest.of(...).database(...)");
        }
        return database;
    }

    DryRunOptions options(Answers answers) {
        DryRunOptions options = new DryRunOptions(settings()).answers(answers).limit(limit);
        if (folder == null) {
            options.withoutFolder();
        }
        if (database != null) {
            options.database(database);
        }
        Stream.concat(tested.stream(), more.stream()).forEach(options::file);
        builders.forEach(options::builder);
        beans.forEach(options::bean);
        return options;
    }

    Secrets secrets() {
        return Secrets.of(settings());
    }

    private Settings settings() {
        Map<String, String> values = new TreeMap<>(properties);
        Path routes = folder == null ? Path.of("no-routes") : folder;
        values.put("caravan.routes", routes.toAbsolutePath().toString());
        Path file =
                settingsFile == null ? routes.toAbsolutePath().resolveSibling("application.properties") : settingsFile;
        Settings settings = Settings.load(file, values);
        if (settings.text(BROKERS, "").isEmpty()) {
            values.put(BROKERS, "localhost:9092"); // never connected, but required by the component
            settings = Settings.load(file, values);
        }
        return settings;
    }

    boolean isTested(TriedRoute route) {
        if (more.stream().anyMatch(file -> isOf(file, route))) {
            return false;
        }
        return tested.isEmpty() || tested.stream().anyMatch(file -> isOf(file, route));
    }

    private static boolean isOf(Path file, TriedRoute route) {
        return route.source().equals(file.toString()) || route.source().endsWith("/" + file.getFileName());
    }

    String name() {
        return tested.isEmpty()
                ? folder == null ? "the route builders" : folder.toString()
                : tested.stream().map(Path::toString).collect(Collectors.joining(", "));
    }
}
