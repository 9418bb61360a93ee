package dev.caravan.settings;

import dev.caravan.text.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.camel.impl.engine.SimpleCamelContext;

/**
 * The values of {@code application.properties} and of the properties files beside the routes, with placeholders such as
 * {@code {{env:DB_URL:…}}} resolved, and overrides on top. Knows nothing of what the settings mean, but for where the routes are.
 */
public final class Settings {
    private static final String ROUTES = "caravan.routes";

    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
    }

    /**
     * Reads the settings. {@code caravan.routes} becomes absolute: a relative folder is looked for beside the file, then in the
     * current directory.
     *
     * @param file the properties file; when it does not exist only the overrides and the files beside the routes count. It wins
     *     over the files beside the routes
     * @param overrides values that win over all files
     */
    public static Settings load(Path file, Map<String, String> overrides) {
        Properties main = Files.exists(file) ? PropertiesFile.read(file) : new Properties();
        main.putAll(overrides);
        Path routes = routes(main, file);
        main.setProperty(ROUTES, routes.toString());
        Properties raw = RouteSettings.in(routes, file);
        raw.putAll(main);
        return new Settings(
                resolve(raw, raw.stringPropertyNames(), "in " + file + " and beside the routes in " + routes));
    }

    private static Path routes(Properties main, Path file) {
        main.putIfAbsent(ROUTES, "routes");
        String value = resolve(main, Set.of(ROUTES), "in " + file).get(ROUTES);
        Path named = Path.of(value.isEmpty() ? "routes" : value);
        Path beside = file.toAbsolutePath().resolveSibling(named).normalize();
        return Files.isDirectory(beside) ? beside : named.toAbsolutePath().normalize();
    }

    private static Map<String, String> resolve(Properties raw, Set<String> names, String where) {
        Map<String, String> resolved = new TreeMap<>();
        Map<String, String> problems = new TreeMap<>();
        try (var context = new SimpleCamelContext()) {
            context.getPropertiesComponent().setInitialProperties(raw);
            context.build();
            for (String name : names) {
                try {
                    resolved.put(
                            name,
                            context.resolvePropertyPlaceholders(raw.getProperty(name))
                                    .trim());
                } catch (IllegalArgumentException e) {
                    problems.put(name, e.getMessage());
                }
            }
        } catch (IOException e) {
            throw new SettingsException("Could not resolve the settings " + where + ": " + e.getMessage());
        }
        if (!problems.isEmpty()) {
            throw new SettingsException("Could not resolve the settings " + where + ": "
                    + problems.entrySet().stream()
                            .map(problem -> problem.getKey() + ": " + problem.getValue())
                            .collect(Collectors.joining("; "))
                    + ". Nothing was started; correct the placeholder and start again.");
        }
        return resolved;
    }

    /** The value of a setting, or the fallback when it is missing or empty. */
    public String text(String name, String fallback) {
        String value = values.get(name);
        return value == null || value.isEmpty() ? fallback : value;
    }

    /** A whole number between min and max (both allowed), or the fallback when the setting is missing or empty. */
    public long number(String name, long fallback, long min, long max) {
        String value = text(name, Long.toString(fallback));
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below, together with numbers out of range
        }
        throw new SettingsException(name + " must be a number between " + min + " and " + max + ", got " + value);
    }

    /** A time such as {@code 5s} between min and max (both allowed), or the fallback when the setting is missing or empty. */
    public Duration duration(String name, String fallback, String min, String max) {
        String value = text(name, fallback);
        try {
            Duration time = Span.parse(value);
            if (time.compareTo(Span.parse(min)) >= 0 && time.compareTo(Span.parse(max)) <= 0) {
                return time;
            }
        } catch (IllegalArgumentException e) {
            // reported below, together with times out of range
        }
        throw new SettingsException(
                name + " must be a time between " + min + " and " + max + ", such as " + fallback + ", got " + value);
    }

    /** True or false, or the fallback when the setting is missing or empty. */
    public boolean flag(String name, boolean fallback) {
        String value = text(name, Boolean.toString(fallback));
        if (value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(value);
        }
        throw new SettingsException(name + " must be true or false, got " + value);
    }

    /** All settings, resolved, by name. Contains secrets: never to be printed. */
    public Map<String, String> all() {
        return Map.copyOf(values);
    }

    /** Names only: values may be secrets. */
    @Override
    public String toString() {
        return "Settings" + values.keySet();
    }
}
