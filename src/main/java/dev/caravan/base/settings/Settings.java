package dev.caravan.base.settings;

import dev.caravan.base.text.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The values of environment variables such as {@code CARAVAN_DB_URL}, of {@code application.properties}, of the properties files in the routes
 * folder, and of overrides, with placeholders such as {@code {{env:DB_URL:…}}} resolved. Immutable.
 */
public final class Settings {
    private static final String ROUTES = "caravan.routes";
    private static final String LIB = "caravan.lib";
    private static final String INTAKES = "caravan.intakes";

    /** The end of an error of Camel, which may be a password. */
    private static final Pattern WHOLE_VALUE = Pattern.compile(" from (the )?text: .*", Pattern.DOTALL);

    private final Map<String, String> values;
    private final Map<String, String> variables;
    private final List<String> warnings;
    private final Map<String, String> repeated;

    private Settings(
            Map<String, String> values,
            Map<String, String> variables,
            List<String> warnings,
            Map<String, String> repeated) {
        this.values = values;
        this.variables = variables;
        this.warnings = warnings;
        this.repeated = repeated;
    }

    /** Loads the settings without variables that no file names, for programs that must not depend on their environment, such as tests. */
    public static Settings load(Path file, Map<String, String> overrides) {
        return load(file, overrides, Map.of());
    }

    /**
     * Loads the settings. Makes {@code caravan.routes} absolute: a relative folder is searched next to the file, then next to the
     * folder of the file, as in an installation with {@code conf} and {@code routes}, then in the current folder. Makes
     * {@code caravan.lib} and {@code caravan.intakes} absolute too: a relative folder is next to the routes folder.
     *
     * @param file the settings file, which may be missing; it takes precedence over files in the routes folder
     * @param overrides values that take precedence over all files and variables
     * @param environment variables; those named {@code CARAVAN_…} and {@code CAMEL_…} take precedence over all files
     */
    public static Settings load(Path file, Map<String, String> overrides, Map<String, String> environment) {
        Properties main = Files.exists(file) ? PropertiesFile.read(file) : new Properties();
        EnvironmentSettings variables = new EnvironmentSettings(environment);
        try (var placeholders = new Placeholders(main)) {
            variables.replace(main, placeholders);
            main.putAll(overrides);
            String namedRoutes = folder(ROUTES, main, placeholders, file);
            Path routes = routes(namedRoutes, file);
            main.setProperty(ROUTES, requireTrusted(routes, namedRoutes, ROUTES).toString());
            for (String beside : List.of(LIB, INTAKES)) {
                String named = folder(beside, main, placeholders, file);
                Path folder = routes.resolveSibling(named).normalize();
                main.setProperty(beside, requireTrusted(folder, named, beside).toString());
            }
            Properties ofRoutes = RouteSettings.in(routes, file);
            variables.replace(ofRoutes, placeholders);
            ofRoutes.forEach(main::putIfAbsent);
            List<Path> files = new ArrayList<>(List.of(file));
            files.addAll(RouteSettings.files(routes));
            return new Settings(
                    resolve(
                            main,
                            main.stringPropertyNames(),
                            placeholders,
                            files,
                            "in " + file + " and in the routes folder " + routes),
                    variables.used(overrides.keySet()),
                    variables.warnings(),
                    repeated(files));
        } catch (IOException e) {
            throw new SettingsException("Could not resolve the settings in " + file + ": " + e.getMessage());
        }
    }

    /** Settings with these values, without files, variables and placeholders. */
    public static Settings of(Map<String, String> values) {
        return new Settings(Map.copyOf(values), Map.of(), List.of(), Map.of());
    }

    private static Map<String, String> repeated(List<Path> files) {
        Map<String, String> repeated = new TreeMap<>();
        files.stream()
                .filter(Files::exists)
                .map(PropertiesFile::repeated)
                .forEach(ofFile -> ofFile.forEach(repeated::putIfAbsent));
        return repeated;
    }

    private static Path requireTrusted(Path folder, String named, String setting) {
        if (!Path.of(named).isAbsolute()) {
            CurrentFolder.requireTrusted(folder, setting + " = " + folder);
        }
        return folder;
    }

    /** The name of a folder as it is written; its default is the end of the name of the setting. */
    private static String folder(String setting, Properties main, Placeholders placeholders, Path file) {
        String usual = setting.substring("caravan.".length());
        main.putIfAbsent(setting, usual);
        String value = resolve(main, Set.of(setting), placeholders, List.of(file), "in " + file)
                .get(setting);
        return value.isEmpty() ? usual : value;
    }

    private static Path routes(String named, Path file) {
        Path folder = file.toAbsolutePath().normalize().getParent();
        return Stream.of(folder.resolve(named), folder.resolveSibling(named))
                .map(Path::normalize)
                .filter(Files::isDirectory)
                .findFirst()
                .orElseGet(() -> Path.of(named).toAbsolutePath().normalize());
    }

    private static Map<String, String> resolve(
            Properties raw, Set<String> names, Placeholders placeholders, List<Path> files, String where) {
        Map<String, String> resolved = new TreeMap<>();
        Map<String, String> problems = new TreeMap<>();
        for (String name : names) {
            try {
                resolved.put(name, placeholders.resolve(raw.getProperty(name)));
            } catch (IllegalArgumentException e) {
                problems.put(name, WHOLE_VALUE.matcher(e.getMessage()).replaceFirst(""));
            }
        }
        if (!problems.isEmpty()) {
            throw new SettingsException("Could not resolve the settings " + where + ": "
                    + problems.entrySet().stream()
                            .map(problem -> SettingLine.of(problem.getKey(), files) + ": " + problem.getValue())
                            .collect(Collectors.joining("; "))
                    + ". Nothing was started. Correct the placeholder.");
        }
        return resolved;
    }

    /** The value of a setting, or the fallback when it is missing or empty. */
    public String text(String name, String fallback) {
        String value = values.get(name);
        return value == null || value.isEmpty() ? fallback : value;
    }

    /** A whole number from min to max, inclusive, or the fallback when the setting is missing or empty. */
    public long number(String name, long fallback, long min, long max) {
        String value = text(name, Long.toString(fallback));
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below, like numbers out of range
        }
        throw new SettingsException(name + " must be a number between " + min + " and " + max + ", got " + value);
    }

    /** A duration such as {@code 5s} from min to max, inclusive, or the fallback when the setting is missing or empty. */
    public Duration duration(String name, String fallback, String min, String max) {
        String value = text(name, fallback);
        try {
            Duration time = Span.parse(value);
            if (time.compareTo(Span.parse(min)) >= 0 && time.compareTo(Span.parse(max)) <= 0) {
                return time;
            }
        } catch (IllegalArgumentException e) {
            // reported below, like durations out of range
        }
        throw new SettingsException(
                name + " must be a duration from " + min + " to " + max + ", such as " + fallback + ", got " + value);
    }

    /** A setting that must be true or false, or the fallback when it is missing or empty. */
    public boolean flag(String name, boolean fallback) {
        String value = text(name, Boolean.toString(fallback));
        if (value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(value);
        }
        throw new SettingsException(name + " must be true or false, got " + value);
    }

    /** The names of settings that have their values from environment variables, with these variables. */
    public Map<String, String> variables() {
        return Collections.unmodifiableMap(variables);
    }

    /** Environment variables that are probably a mistake: unknown names, and two for one setting. Contains no values. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** The names that a file sets more than once: the lines, and which value is used. Contains no values. */
    public Map<String, String> repeated() {
        return Collections.unmodifiableMap(repeated);
    }

    /** All resolved settings by name. Contains secrets: do not print. */
    public Map<String, String> all() {
        return Map.copyOf(values);
    }

    /** Contains only names, because values may be secrets. */
    @Override
    public String toString() {
        return "Settings" + values.keySet();
    }
}
