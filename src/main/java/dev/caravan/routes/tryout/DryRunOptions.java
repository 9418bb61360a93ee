package dev.caravan.routes.tryout;

import dev.caravan.base.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.camel.RoutesBuilder;
import org.apache.camel.main.Main;

/** The options of a dry run: what it loads, the answers of destinations, and its time limit. */
public final class DryRunOptions {
    final Settings settings;
    final List<Path> files = new ArrayList<>();
    final List<RoutesBuilder> builders = new ArrayList<>();
    final Map<String, Object> beans = new TreeMap<>();
    Answers answers = Answers.ACCEPTED;
    Set<String> leftOut = Set.of();
    boolean folder = true;
    boolean sends;
    DataSource database;
    Duration limit = Duration.ofSeconds(30);
    Consumer<Main> configuration = main -> {};

    /** Loads the routes folder of these settings. */
    public DryRunOptions(Settings settings) {
        this.settings = settings;
    }

    /** Also loads this file, as if it were in the routes folder. Replaces a file of the folder with the same name. */
    public DryRunOptions file(Path file) {
        files.add(file.toAbsolutePath().normalize());
        return this;
    }

    public DryRunOptions builder(RoutesBuilder builder) {
        builders.add(builder);
        return this;
    }

    /** Loads nothing of the routes folder. */
    public DryRunOptions withoutFolder() {
        folder = false;
        return this;
    }

    /** Excludes files of the routes folder, by their names. */
    public DryRunOptions without(Set<String> names) {
        leftOut = Set.copyOf(names);
        return this;
    }

    public DryRunOptions answers(Answers given) {
        answers = given;
        return this;
    }

    /** Binds an object that routes refer to by name. */
    public DryRunOptions bean(String name, Object bean) {
        beans.put(name, bean);
        return this;
    }

    /** Sends everything to the destinations, but writes no messages to the outbox and no ids to the idempotent repository. */
    public DryRunOptions sends(DataSource routes) {
        sends = true;
        database = routes;
        return this;
    }

    /**
     * Runs the statements of routes and of the idempotent repository in a database, and appends messages to its outbox. Everything else
     * is replaced.
     */
    public DryRunOptions database(DataSource real) {
        database = real;
        return this;
    }

    /** How long one attempt may take. */
    public DryRunOptions limit(Duration longest) {
        limit = longest;
        return this;
    }

    /** Configures Camel Main, before it reads settings and routes. */
    public DryRunOptions configure(Consumer<Main> more) {
        configuration = more;
        return this;
    }
}
