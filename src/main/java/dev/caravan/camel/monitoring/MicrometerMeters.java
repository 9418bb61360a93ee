package dev.caravan.camel.monitoring;

import dev.caravan.base.clock.Timers;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics in any registry of Micrometer. Meters come and go with lanes and subscriptions, so all values are read every 5 s. Summaries and
 * histograms are a count and a total. Loaded only if Micrometer is used.
 */
final class MicrometerMeters implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MicrometerMeters.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final String PREFIX = "caravan.";

    private final MeterRegistry registry;
    private final List<Families.Source> sources;
    private final Map<Key, Registered> meters = new HashMap<>();
    private final ScheduledExecutorService timer = Timers.daemons("meters", 1);

    private record Key(String name, Families.Tags tags) {}

    /** The last value, which a meter returns at any time. */
    private static final class Latest {
        private volatile double count;
        private volatile double value;
    }

    private record Registered(Meter meter, Latest latest) {}

    MicrometerMeters(MeterRegistry registry, List<Families.Source> sources) {
        this.registry = registry;
        this.sources = sources;
        timer.scheduleWithFixedDelay(this::attempt, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void attempt() {
        try {
            read();
        } catch (RuntimeException e) {
            LOG.debug("Could not read the metrics, will retry", e);
        }
    }

    synchronized void read() {
        if (timer.isShutdown()) {
            return;
        }
        Read read = new Read();
        sources.forEach(source -> source.collect(read));
        meters.entrySet().removeIf(each -> {
            boolean gone = !read.present.contains(each.getKey());
            if (gone) {
                registry.remove(each.getValue().meter);
            }
            return gone;
        });
    }

    @Override
    public synchronized void close() {
        timer.shutdownNow();
        meters.values().forEach(each -> registry.remove(each.meter));
        meters.clear();
    }

    /** One read of all values. */
    private final class Read implements Families {
        private final Set<Key> present = new HashSet<>();

        @Override
        public void gauge(String name, String description, Stream<Value> values) {
            values.forEach(each -> set(each, name, (id, latest) -> Gauge.builder(id, () -> latest.value)
                    .tags(each.tags().toArray())
                    .description(description)
                    .register(registry)));
        }

        @Override
        public void counter(String name, String description, Stream<Value> values) {
            values.forEach(each ->
                    set(each, name, (id, latest) -> FunctionCounter.builder(id, latest, counted -> counted.value)
                            .tags(each.tags().toArray())
                            .description(description)
                            .register(registry)));
        }

        private void set(Value value, String name, Registration registration) {
            latest(name, value.tags(), registration).value = value.value();
        }

        @Override
        public void summary(String name, String description, Stream<Summed> values) {
            values.forEach(each -> {
                Latest latest = latest(name, each.tags(), (id, summed) -> Meter.builder(
                                id,
                                Meter.Type.DISTRIBUTION_SUMMARY,
                                List.of(
                                        new Measurement(() -> summed.count, Statistic.COUNT),
                                        new Measurement(() -> summed.value, Statistic.TOTAL)))
                        .tags(each.tags().toArray())
                        .description(description)
                        .register(registry));
                latest.count = each.count();
                latest.value = each.sum();
            });
        }

        @Override
        public void histogram(String name, String description, Stream<Counted> values) {
            summary(
                    name,
                    description,
                    values.map(each ->
                            new Summed(each.tags(), Arrays.stream(each.counts()).sum(), each.sum())));
        }

        private interface Registration {
            Meter register(String name, Latest latest);
        }

        private Latest latest(String name, Tags tags, Registration registration) {
            Key key = new Key(name, tags);
            present.add(key);
            return meters.computeIfAbsent(key, absent -> {
                        Latest latest = new Latest();
                        return new Registered(registration.register(PREFIX + name.replace('_', '.'), latest), latest);
                    })
                    .latest;
        }
    }
}
