package dev.caravan.cli;

import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that every command shares, and the settings that they select. */
final class SettingsOptions {
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

    /** Loads the chosen settings file and the settings files of the routes. */
    Settings settings() {
        return Settings.load(file(), Map.of());
    }

    private Path file() {
        if (config != null) {
            if (!Files.isRegularFile(config)) {
                throw new SettingsException("Could not find the settings file " + config + " named by --config."
                        + " Nothing was started. Correct the path.");
            }
            return config.toAbsolutePath();
        }
        Path here = Path.of(FILE).toAbsolutePath();
        Path home = home().resolve(FILE).toAbsolutePath();
        if (!Files.isRegularFile(here) && !Files.isRegularFile(home)) {
            throw new SettingsException("Could not find " + FILE + " in " + here.getParent() + " or " + home.getParent()
                    + ". Nothing was started. Name a file with --config FILE.");
        }
        return Files.isRegularFile(here) ? here : home;
    }

    private static Path home() {
        String home = System.getenv("CARAVAN_HOME");
        return Path.of(home == null ? "" : home);
    }
}
