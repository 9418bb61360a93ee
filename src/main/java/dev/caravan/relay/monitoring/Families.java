package dev.caravan.relay.monitoring;

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

/**
 * The answer to one scrape: the values of each metric. They are built when they are requested, so a lane or subscription that no longer
 * exists has none, and one that nobody scrapes costs nothing.
 */
final class Families {
    private static final String PREFIX = "caravan_";
    private static final long TIME_UNKNOWN = 0;

    /** A value with its tags. */
    record Value(Labels tags, double value) {}

    /** A number of values and their sum, with their tags. */
    record Summed(Labels tags, long count, double sum) {}

    /** The values up to each bound, without those up to the bound before, with their tags. */
    record Counted(Labels tags, double[] bounds, long[] counts, double sum) {}

    private final List<MetricSnapshot> all = new ArrayList<>();

    MetricSnapshots all() {
        return new MetricSnapshots(all);
    }

    void gauge(String name, String description, Stream<Value> values) {
        all.add(new GaugeSnapshot(
                metadata(name, description),
                values.map(each -> new GaugeDataPointSnapshot(each.value, each.tags, null))
                        .toList()));
    }

    void gauge(String name, String description, double value) {
        gauge(name, description, Stream.of(new Value(Labels.EMPTY, value)));
    }

    /** @param name without {@code _total} */
    void counter(String name, String description, Stream<Value> values) {
        all.add(new CounterSnapshot(
                metadata(name, description),
                values.map(each -> new CounterDataPointSnapshot(each.value, each.tags, null, TIME_UNKNOWN))
                        .toList()));
    }

    void summary(String name, String description, Stream<Summed> values) {
        all.add(new SummarySnapshot(
                metadata(name, description),
                values.map(each -> new SummaryDataPointSnapshot(
                                each.count, each.sum, Quantiles.EMPTY, each.tags, Exemplars.EMPTY, TIME_UNKNOWN))
                        .toList()));
    }

    void histogram(String name, String description, Stream<Counted> values) {
        all.add(new HistogramSnapshot(
                metadata(name, description),
                values.map(each -> new HistogramDataPointSnapshot(
                                ClassicHistogramBuckets.of(each.bounds, each.counts),
                                each.sum,
                                each.tags,
                                Exemplars.EMPTY,
                                TIME_UNKNOWN))
                        .toList()));
    }

    private static MetricMetadata metadata(String name, String description) {
        return new MetricMetadata(PREFIX + name, description);
    }
}
