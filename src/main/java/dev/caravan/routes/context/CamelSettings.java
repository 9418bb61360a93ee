package dev.caravan.routes.context;

import static java.util.Map.entry;

import dev.caravan.base.settings.Settings;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/** The settings for Camel, with the relay's own defaults for some options. A setting of the same name overrides a default. */
public final class CamelSettings {
    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            // The HTTP client must not retry: the relay decides about retries.
            entry("camel.component.http.automaticRetriesDisabled", "true"),
            entry("camel.component.https.automaticRetriesDisabled", "true"),
            // If there is more than one data source, Camel does not choose one for sql:.
            entry("camel.component.sql.dataSource", "#bean:dataSource"),
            // Health shows all checks with their messages, not only failed ones.
            entry("camel.management.healthCheckEnabled", "true"),
            entry("camel.health.exposureLevel", "full"),
            // Metrics, including those of the Java process.
            entry("camel.management.metricsEnabled", "true"),
            entry("camel.metrics.enabled", "true"),
            entry("camel.metrics.binders", "jvm-memory,jvm-gc,jvm-thread,processor,uptime"),
            // Timers for each exchange and step cost a third of a relay's CPU time.
            entry("camel.metrics.enableRoutePolicy", "false"),
            entry("camel.metrics.enableExchangeEventNotifier", "false"),
            entry("camel.metrics.enableRouteEventNotifier", "false"),
            // JMX beans cost CPU time for each exchange, and half a second at the start.
            entry("camel.main.jmxEnabled", "false"));

    private CamelSettings() {}

    /** Omits empty values of Camel's settings: empty means not set, as with environment variables, but Camel refuses it. */
    public static Properties of(Map<String, String> settings) {
        Properties properties = new Properties();
        settings.forEach((name, value) -> {
            if (!name.startsWith("camel.") || !value.isEmpty()) {
                properties.setProperty(name, value);
            }
        });
        Set<String> given = properties.stringPropertyNames().stream()
                .map(CamelSettings::plain)
                .collect(Collectors.toSet());
        DEFAULTS.forEach((name, value) -> {
            if (!given.contains(plain(name))) {
                properties.setProperty(name, value);
            }
        });
        return properties;
    }

    /** Whether metrics are collected. */
    public static boolean hasMetrics(Settings settings) {
        return settings.flag("camel.metrics.enabled", true);
    }

    /** Normalizes a name: Camel accepts both {@code jmxEnabled} and {@code jmx-enabled}. */
    private static String plain(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }
}
