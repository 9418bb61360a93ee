package dev.caravan.relay;

import static java.util.Map.entry;

import dev.caravan.settings.Settings;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/** The settings as Camel gets them: with the defaults of the relay where Camel has others, which a setting of the same name overrides. */
public final class CamelSettings {
    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            // The HTTP client must not repeat a request on its own: the outbox decides what is tried again, and when.
            entry("camel.component.http.automaticRetriesDisabled", "true"),
            entry("camel.component.https.automaticRetriesDisabled", "true"),
            // Health with all checks and what they say, not only those that are down.
            entry("camel.management.healthCheckEnabled", "true"),
            entry("camel.health.exposureLevel", "full"),
            // Metrics, also of the Java process.
            entry("camel.management.metricsEnabled", "true"),
            entry("camel.metrics.enabled", "true"),
            entry("camel.metrics.binders", "jvm-memory,jvm-gc,jvm-thread,processor,uptime"),
            // Timers of each exchange and each step cost a third of a relay's processor time.
            entry("camel.metrics.enableRoutePolicy", "false"),
            entry("camel.metrics.enableExchangeEventNotifier", "false"),
            entry("camel.metrics.enableRouteEventNotifier", "false"),
            // Management beans cost processor time with each exchange, and half a second at the start.
            entry("camel.main.jmxEnabled", "false"));

    private CamelSettings() {}

    /** An empty value means not set, as with environment variables; Camel refuses it for its own options. */
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
    static boolean measures(Settings settings) {
        return settings.flag("camel.metrics.enabled", true);
    }

    /** Camel takes {@code jmxEnabled} and {@code jmx-enabled}. */
    private static String plain(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }
}
