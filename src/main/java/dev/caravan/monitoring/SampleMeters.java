package dev.caravan.monitoring;

import dev.caravan.schema.Holder;
import dev.caravan.schema.Partition;
import dev.caravan.schema.SubscriptionStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The meters that come from the database: of all subscriptions, also those that other relays work, and of the partitions. */
final class SampleMeters implements Consumer<Sample> {
    private static final String NAMES = "caravan.";
    private static final String MESSAGES = "messages";
    private static final String SECONDS = "seconds";

    private record PerSubscription(MultiGauge gauge, ToDoubleFunction<SubscriptionStatus> value) {}

    private final MeterRegistry registry;
    private final List<PerSubscription> perSubscription = new ArrayList<>();
    private final MultiGauge heldBack;

    SampleMeters(MeterRegistry registry, Sampler sampler) {
        this.registry = registry;
        each("lag", SECONDS, status -> seconds(status.lag()), "Age of the oldest undelivered message in the outbox");
        each("backlog", MESSAGES, SubscriptionStatus::backlog, "Undelivered messages in the outbox, an upper bound");
        each(
                "retry.waiting",
                MESSAGES,
                status -> status.waiting().atLeast(),
                "Messages that wait for another attempt, up to a bound");
        each(
                "blocked",
                MESSAGES,
                status -> status.blocked().atLeast(),
                "Messages that wait behind an earlier one of their key, up to a bound");
        each(
                "blocked.keys",
                null,
                status -> status.blockedKeys().atLeast(),
                "Keys of the blocked messages, up to a bound");
        each(
                "blocked.oldest",
                SECONDS,
                status -> seconds(status.blockedOldest()),
                "How long the message has been failing that has done so for longest");
        each("dead.letters", null, status -> status.deadLetters().atLeast(), "Dead letters, up to a bound");
        each("paused", null, status -> status.paused() ? 1 : 0, "1 while a person has paused the subscription");
        heldBack = gauge("pruning.held.back", null, "1 while the subscription keeps partitions from being pruned");
        one("partitions.ahead", null, sampler, SampleMeters::ahead, "Partitions made beyond the one in use");
        one("partition.oldest", SECONDS, sampler, SampleMeters::oldest, "Age of the oldest message in the outbox");
        Gauge.builder(NAMES + "up.to.date", sampler, asked -> asked.age()
                        .map(SampleMeters::seconds)
                        .orElse(Double.NaN))
                .baseUnit(SECONDS)
                .description("Age of the sample that the values from the database come from")
                .register(registry);
    }

    private void each(String name, String unit, ToDoubleFunction<SubscriptionStatus> value, String description) {
        perSubscription.add(new PerSubscription(gauge(name, unit, description), value));
    }

    private MultiGauge gauge(String name, String unit, String description) {
        return MultiGauge.builder(NAMES + name)
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    private void one(String name, String unit, Sampler sampler, ToDoubleFunction<Sample> value, String description) {
        Gauge.builder(NAMES + name, sampler, asked -> asked.latest()
                        .map(value::applyAsDouble)
                        .orElse(Double.NaN))
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    @Override
    public void accept(Sample sample) {
        for (PerSubscription each : perSubscription) {
            each.gauge.register(rows(sample, each.value), true);
        }
        Set<String> holders = sample.partitions().stream()
                .filter(partition -> partition.state() == Partition.State.HELD_BACK)
                .flatMap(partition -> partition.holders().stream())
                .map(Holder::subscription)
                .collect(Collectors.toSet());
        heldBack.register(rows(sample, status -> holders.contains(status.name()) ? 1 : 0), true);
    }

    private static List<MultiGauge.Row<?>> rows(Sample sample, ToDoubleFunction<SubscriptionStatus> value) {
        return sample.subscriptions().stream()
                .<MultiGauge.Row<?>>map(status ->
                        MultiGauge.Row.of(Tags.of("subscription", status.name()), value.applyAsDouble(status)))
                .toList();
    }

    /** outbox_default is none that was made ahead. */
    private static double ahead(Sample sample) {
        return sample.partitions().stream()
                .filter(partition -> partition.state() == Partition.State.AHEAD
                        && partition.ids().isPresent())
                .count();
    }

    private static double oldest(Sample sample) {
        Optional<Instant> oldest = sample.partitions().stream()
                .flatMap(partition -> partition.oldest().stream())
                .min(Comparator.naturalOrder());
        return oldest.map(written -> Math.max(0, seconds(Duration.between(written, Instant.now()))))
                .orElse(0.0);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
