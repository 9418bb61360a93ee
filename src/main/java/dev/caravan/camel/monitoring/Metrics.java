package dev.caravan.camel.monitoring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the registry of Micrometer in the registry of a context, and adds the metrics to it: to the bean {@code metricsRegistry}, whose metrics
 * Camel uses too, or else to the only one or the only composite. Loaded only if Micrometer is on the class path.
 */
final class Metrics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);
    /** As in {@code MicrometerConstants}, which is not on each class path. */
    private static final String CAMELS_NAME = "metricsRegistry";

    /** Two metrics with one name and the same tags would make each scrape of Prometheus fail. */
    private static final Set<MeterRegistry> IN_USE =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final MeterRegistry registry;
    private final List<Runnable> removals = new ArrayList<>();

    private Metrics(MeterRegistry registry, List<Families.Source> sources) {
        this.registry = registry;
        List<MeterRegistry> leaves = leaves(registry).toList();
        if (leaves.stream().noneMatch(Metrics::isOfPrometheus)) {
            leaves = List.of(registry); // also if it is a composite to which registries are added later
        }
        leaves.forEach(leaf -> removals.add(
                isOfPrometheus(leaf)
                        ? new PrometheusMeters(leaf, sources)::close
                        : new MicrometerMeters(leaf, sources)::close));
    }

    /** Empty if there is no registry, if there are several, or if another context uses it. */
    static Optional<Metrics> add(CamelContext context, List<Families.Source> sources) {
        Optional<MeterRegistry> found = registry(context);
        if (found.isPresent() && !IN_USE.add(found.get())) {
            LOG.warn(
                    "Could not add the metrics of the component outbox of the context {}: those of another context are in the same"
                            + " registry of Micrometer. To have both, give each context its own bean {}",
                    context.getName(),
                    CAMELS_NAME);
            return Optional.empty();
        }
        return found.map(registry -> new Metrics(registry, sources));
    }

    private static Optional<MeterRegistry> registry(CamelContext context) {
        MeterRegistry named = context.getRegistry().lookupByNameAndType(CAMELS_NAME, MeterRegistry.class);
        if (named == null) {
            named = context.getRegistry().findSingleByType(MeterRegistry.class); // also the primary bean of Spring
        }
        return Optional.ofNullable(named).or(() -> composite(context));
    }

    /** Of several, the composite: the frameworks that create several create one that writes to all. Those of CDI may have no name. */
    private static Optional<MeterRegistry> composite(CamelContext context) {
        Set<MeterRegistry> all = context.getRegistry().findByType(MeterRegistry.class);
        List<MeterRegistry> composites =
                all.stream().filter(CompositeMeterRegistry.class::isInstance).toList();
        if (composites.size() == 1) {
            return Optional.of(composites.get(0));
        }
        if (!all.isEmpty()) {
            Set<String> names = new TreeSet<>(context.getRegistry()
                    .findByTypeWithName(MeterRegistry.class)
                    .keySet());
            LOG.warn(
                    "The component outbox adds no metrics, because there are {} registries of Micrometer and it is not clear which one"
                            + " to use: {}. Give one of them the name {} too, or make it the primary bean of Spring",
                    all.size(),
                    String.join(", ", names),
                    CAMELS_NAME);
        }
        return Optional.empty();
    }

    private static Stream<MeterRegistry> leaves(MeterRegistry registry) {
        return registry instanceof CompositeMeterRegistry composite
                ? composite.getRegistries().stream().flatMap(Metrics::leaves)
                : Stream.of(registry);
    }

    /** By name, because its class is not on each class path. */
    private static boolean isOfPrometheus(MeterRegistry registry) {
        return Stream.<Class<?>>iterate(registry.getClass(), type -> type != null, Class::getSuperclass)
                .anyMatch(type -> type.getName().equals("io.micrometer.prometheusmetrics.PrometheusMeterRegistry"));
    }

    @Override
    public void close() {
        removals.forEach(Runnable::run);
        IN_USE.remove(registry);
    }
}
