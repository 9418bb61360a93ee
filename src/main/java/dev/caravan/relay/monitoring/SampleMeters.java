package dev.caravan.relay.monitoring;

import dev.caravan.base.clock.Clock;
import dev.caravan.operate.job.Job.State;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import dev.caravan.operate.watch.Sampler;
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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The meters that are read from the database: of all subscriptions, including those of other relays, and of the partitions. */
final class SampleMeters implements Consumer<Sample> {
    private static final String NAMES = "caravan.";
    private static final String MESSAGES = "messages";
    private static final String SECONDS = "seconds";

    private record PerSubscription(MultiGauge gauge, Tags tags, Value value) {}

    private interface Value {
        double of(Sample sample, SubscriptionStatus status);
    }

    private final MeterRegistry registry;
    private final Sampler sampler;
    private final List<PerSubscription> perSubscription = new ArrayList<>();

    SampleMeters(MeterRegistry registry, Sampler sampler) {
        this.registry = registry;
        this.sampler = sampler;
        each("lag", SECONDS, status -> seconds(status.lag()), "Age of the oldest undelivered message in the outbox");
        each("backlog", MESSAGES, SubscriptionStatus::backlog, "Upper bound of the undelivered messages in the outbox");
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
                "blocked.key.oldest",
                SECONDS,
                status -> seconds(status.blockedOldest()),
                "Longest time for which a waiting message, or a dead letter that blocks its key, has been failing");
        each(
                "keys.blocked.by.dead.letters",
                null,
                status -> status.keysBlockedByDead().atLeast(),
                "Keys whose messages wait until a person retries or discards a dead letter, up to a bound");
        each("dead.letters", null, status -> status.deadLetters().atLeast(), "Dead letters, up to a bound");
        each(
                "dead.letter.oldest",
                SECONDS,
                status -> seconds(status.deadLetterOldest()),
                "Time since the last failure of the oldest dead letter");
        each("paused", null, status -> status.paused() ? 1 : 0, "1 while a person has paused the subscription");
        each(
                "halted",
                null,
                status -> status.halt().isPresent() ? 1 : 0,
                "1 while the subscription is halted: a person must set where it resumes");
        each(
                "presence",
                null,
                status -> status.lacksPresence() ? 0 : 1,
                "0 while a relay works a lane without presence: after a crash, the lane waits until the lease ends");
        each(
                "pruning.held.back",
                null,
                SampleMeters::heldBack,
                "1 while the subscription prevents partitions from being pruned");
        for (State state : List.of(State.RUNNING, State.PAUSED, State.STOPPED)) {
            each(
                    "bulk.retries",
                    null,
                    Tags.of("state", state.text()),
                    (sample, status) -> bulkRetries(sample, status.name(), state),
                    "Bulk retries that run, are paused, or stopped because messages failed again");
        }
        one("partitions.ahead", null, SampleMeters::ahead, "Partitions beyond the current one");
        one("oldest.message", SECONDS, SampleMeters::oldest, "Age of the oldest message in the outbox");
        age("sample.age", Sampler::age, "Age of the sample of the database");
        age("partitions.age", Sampler::partitionsAge, "Time since the partitions of the outbox were read");
    }

    /** NaN before the first read. */
    private void age(String name, Function<Sampler, Optional<Duration>> age, String description) {
        Gauge.builder(NAMES + name, sampler, asked -> age.apply(asked)
                        .map(SampleMeters::seconds)
                        .orElse(Double.NaN))
                .baseUnit(SECONDS)
                .description(description)
                .register(registry);
    }

    private void each(String name, String unit, ToDoubleFunction<SubscriptionStatus> value, String description) {
        each(name, unit, (sample, status) -> value.applyAsDouble(status), description);
    }

    private void each(String name, String unit, Value value, String description) {
        each(name, unit, Tags.empty(), value, description);
    }

    private void each(String name, String unit, Tags tags, Value value, String description) {
        MultiGauge gauge = MultiGauge.builder(NAMES + name)
                .baseUnit(unit)
                .description(description)
                .register(registry);
        perSubscription.add(new PerSubscription(gauge, tags, value));
    }

    private void one(String name, String unit, ToDoubleFunction<Sample> value, String description) {
        Gauge.builder(NAMES + name, sampler, asked -> asked.latest()
                        .map(value::applyAsDouble)
                        .orElse(Double.NaN))
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    /** Adds and removes the meters of subscriptions. Registered meters read their value from the latest sample. */
    @Override
    public void accept(Sample sample) {
        for (PerSubscription each : perSubscription) {
            each.gauge.register(
                    sample.subscriptions().stream()
                            .<MultiGauge.Row<?>>map(status -> row(status.name(), each))
                            .toList(),
                    false);
        }
    }

    private MultiGauge.Row<?> row(String subscription, PerSubscription each) {
        Tags tags = each.tags.and("subscription", subscription);
        return MultiGauge.Row.of(tags, sampler, asked -> asked.latest().stream()
                .flatMapToDouble(sample -> value(sample, subscription, each.value))
                .findFirst()
                .orElse(Double.NaN));
    }

    private static DoubleStream value(Sample sample, String subscription, Value value) {
        return sample.subscriptions().stream()
                .filter(status -> status.name().equals(subscription))
                .mapToDouble(status -> value.of(sample, status));
    }

    private static double bulkRetries(Sample sample, String subscription, State state) {
        return sample.bulkRetries().stream()
                .filter(count -> count.subscription().equals(subscription) && count.state() == state)
                .mapToLong(Jobs.Count::number)
                .sum();
    }

    private static double heldBack(Sample sample, SubscriptionStatus status) {
        if (sample.partitions().isEmpty()) {
            return Double.NaN;
        }
        return sample.partitions().stream()
                        .filter(partition -> partition.state() == Partition.State.HELD_BACK)
                        .flatMap(partition -> partition.holders().stream())
                        .anyMatch(holder -> holder.subscription().equals(status.name()))
                ? 1
                : 0;
    }

    /** Number of partitions ahead of use, without outbox_default. */
    private static double ahead(Sample sample) {
        if (sample.partitions().isEmpty()) {
            return Double.NaN;
        }
        return sample.partitions().stream()
                .filter(partition -> partition.state() == Partition.State.AHEAD
                        && partition.ids().isPresent())
                .count();
    }

    private static double oldest(Sample sample) {
        if (sample.partitions().isEmpty()) {
            return Double.NaN;
        }
        Optional<Instant> oldest = sample.partitions().stream()
                .flatMap(partition -> partition.oldest().stream())
                .min(Comparator.naturalOrder());
        return oldest.map(written -> Math.max(0, seconds(Duration.between(written, Clock.SYSTEM.now()))))
                .orElse(0.0);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
