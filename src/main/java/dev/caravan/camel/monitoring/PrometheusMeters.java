package dev.caravan.camel.monitoring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The metrics in a registry of Prometheus, with histograms. Loaded only if such a registry is used. */
final class PrometheusMeters implements AutoCloseable {
    private static final String PREFIX = "caravan_";
    private static final long TIME_UNKNOWN = 0;

    private final PrometheusRegistry registry;
    private final MultiCollector collector;

    /** @param registry a {@code PrometheusMeterRegistry} */
    PrometheusMeters(MeterRegistry registry, List<Families.Source> sources) {
        this.registry = ((PrometheusMeterRegistry) registry).getPrometheusRegistry();
        collector = () -> {
            Scrape scrape = new Scrape();
            sources.forEach(source -> source.collect(scrape));
            return new MetricSnapshots(scrape.all);
        };
        this.registry.register(collector);
    }

    @Override
    public void close() {
        registry.unregister(collector);
    }

    /** The answer to one scrape. */
    private static final class Scrape implements Families {
        private final List<MetricSnapshot> all = new ArrayList<>();

        @Override
        public void gauge(String name, String description, Stream<Value> values) {
            all.add(new GaugeSnapshot(
                    metadata(name, description),
                    values.map(each -> new GaugeDataPointSnapshot(each.value(), labels(each.tags()), null))
                            .toList()));
        }

        @Override
        public void counter(String name, String description, Stream<Value> values) {
            all.add(new CounterSnapshot(
                    metadata(name, description),
                    values.map(each ->
                                    new CounterDataPointSnapshot(each.value(), labels(each.tags()), null, TIME_UNKNOWN))
                            .toList()));
        }

        @Override
        public void summary(String name, String description, Stream<Summed> values) {
            all.add(new SummarySnapshot(
                    metadata(name, description),
                    values.map(each -> new SummaryDataPointSnapshot(
                                    each.count(),
                                    each.sum(),
                                    Quantiles.EMPTY,
                                    labels(each.tags()),
                                    Exemplars.EMPTY,
                                    TIME_UNKNOWN))
                            .toList()));
        }

        @Override
        public void histogram(String name, String description, Stream<Counted> values) {
            all.add(new HistogramSnapshot(
                    metadata(name, description),
                    values.map(each -> new HistogramDataPointSnapshot(
                                    ClassicHistogramBuckets.of(each.bounds(), each.counts()),
                                    each.sum(),
                                    labels(each.tags()),
                                    Exemplars.EMPTY,
                                    TIME_UNKNOWN))
                            .toList()));
        }

        private static MetricMetadata metadata(String name, String description) {
            return new MetricMetadata(PREFIX + name, description);
        }

        private static Labels labels(Tags tags) {
            return Labels.of(tags.toArray());
        }
    }
}
