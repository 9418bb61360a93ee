package dev.caravan.camel.monitoring;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What Prometheus reads from a registry. Each call is one scrape. */
final class Scraped {
    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    void add(Families.Source... sources) {
        new PrometheusMeters(registry, List.of(sources));
    }

    /** The lines with a value. */
    List<String> series() {
        return lines().filter(line -> !line.startsWith("#")).toList();
    }

    /** The lines with a value that have a tag. */
    List<String> series(String tag, String value) {
        return series().stream()
                .filter(line -> line.contains(tag + "=\"" + value + "\""))
                .toList();
    }

    /** The value of a metric; NaN if it has none with these tags. Tags are in alphabetical order. */
    double value(String name, String... tags) {
        String series = name + tags(tags) + " ";
        return lines().filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
                .findFirst()
                .orElse(Double.NaN);
    }

    private static String tags(String... tags) {
        return tags.length == 0
                ? ""
                : Stream.iterate(0, i -> i < tags.length, i -> i + 2)
                        .map(i -> tags[i] + "=\"" + tags[i + 1] + "\"")
                        .collect(Collectors.joining(",", "{", "}"));
    }

    private Stream<String> lines() {
        return registry.scrape().lines();
    }
}
