package dev.caravan.cli;

import dev.caravan.base.settings.CurrentFolder;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.Database;
import dev.caravan.database.ReusedSessions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Option;

/** The options that every command shares, and the settings that they select. */
final class SettingsOptions extends CommandOptions {
    private static final String FILE = "application.properties";

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file. Default: " + FILE + " in the current folder, or else in CARAVAN_HOME"
                    + " (the folder of ./caravan).")
    private Path config;

    @Option(names = "--verbose", description = "Log at DEBUG, and show the stack trace of an error.")
    private boolean verbose;

    private DataSource database;

    /** The settings of the context, or else of the chosen settings file and of the settings files of the routes. */
    Settings settings() {
        return settings(Map.of());
    }

    /** @param more take precedence over all files and variables */
    Settings settings(Map<String, String> more) {
        Caravan caravan = caravan();
        return caravan.choice(config != null)
                .context()
                .map(context -> settings(context, more, caravan))
                .orElseGet(() -> Settings.load(file(), more, caravan.environment()));
    }

    /** The routes folder of the settings; empty for a context, which is used from anywhere, and if the folder does not exist. */
    Optional<Path> routes() {
        return usesContext()
                ? Optional.empty()
                : Optional.of(Path.of(settings().text("caravan.routes", ""))).filter(Files::isDirectory);
    }

    /** Whether the database is that of a context, which has no folders of a relay. */
    boolean usesContext() {
        return caravan().choice(config != null).context().isPresent();
    }

    /** The database of the settings. A session whose connection is closed is used again by the next connection, and ends with the command. */
    DataSource database() {
        if (database == null) {
            database = reused(Database.forCommand(settings()));
        }
        return database;
    }

    /** The same for sessions of another kind. */
    DataSource reused(DataSource unpooled) {
        ReusedSessions sessions = new ReusedSessions(unpooled);
        caravan().closeAtEnd(sessions);
        return sessions;
    }

    private Settings settings(OutboxContext context, Map<String, String> more, Caravan caravan) {
        caravan.contexts().warnings(context).forEach(err()::println);
        Path none = caravan.contexts().file().resolveSibling("none");
        Path file = config != null ? file() : context.config().orElse(none);
        Map<String, String> given = new HashMap<>(context.settings(caravan.environment()));
        if (file.equals(none)) { // otherwise settings beside the routes of the current folder would count
            given.put("caravan.routes", none.toString());
        }
        given.putAll(more);
        return Settings.load(file, given, caravan.environment());
    }

    /** The settings of a relay, which uses no context: contexts are for the commands of people. */
    Settings ofRelay() {
        requireNoContext();
        return Settings.load(file(), Map.of(), caravan().environment());
    }

    /** The same with more settings, which take precedence; the settings file may be missing. */
    Settings ofRelay(Map<String, String> more) {
        requireNoContext();
        Path file = config == null && !isFile() ? here() : file();
        return Settings.load(file, more, caravan().environment());
    }

    private void requireNoContext() {
        if (caravan().hasContextOption()) {
            throw wrong("This command uses the settings of a relay, not a context. Omit --context.");
        }
    }

    private Path file() {
        if (config != null) {
            if (!Files.isRegularFile(config)) {
                throw new SettingsException("Could not find the settings file " + config + " named by --config."
                        + " Nothing was started. Correct the path.");
            }
            return config.toAbsolutePath();
        }
        Path here = here();
        Path home = home().resolve(FILE).toAbsolutePath();
        if (!isFile()) {
            throw new SettingsException("Could not find " + FILE + " in " + here.getParent() + " or " + home.getParent()
                    + ". Nothing was started. Name a file with --config FILE.");
        }
        if (Files.isRegularFile(here)) {
            CurrentFolder.requireTrusted(here, "--config " + here);
            return here;
        }
        return home;
    }

    private static Path here() {
        return Path.of(FILE).toAbsolutePath();
    }

    private static boolean isFile() {
        return Files.isRegularFile(here()) || Files.isRegularFile(home().resolve(FILE));
    }

    private static Path home() {
        String home = System.getenv("CARAVAN_HOME");
        return Path.of(home == null ? "" : home);
    }
}
