package dev.caravan.camel.monitoring;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.monitoring.Families.Tags;
import dev.caravan.camel.monitoring.Families.Value;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.partition.Holder;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import dev.caravan.operate.watch.Sampler;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The metrics that are read from the database: of all subscriptions and intakes, including those of other relays, and of the partitions. All
 * values of a scrape are those of one sample.
 */
final class SampleMeters implements Families.Source {
    private final Sampler sampler;

    SampleMeters(Sampler sampler) {
        this.sampler = sampler;
    }

    @Override
    public void collect(Families families) {
        sampler.latest().ifPresent(sample -> new Scrape(sample, families).add());
        families.gauge("sample_age_seconds", "Age of the sample of the database", orNaN(sampler.age()));
        families.gauge(
                "partitions_age_seconds",
                "Time since the partitions of the outbox were read",
                orNaN(sampler.partitionsAge()));
    }

    /** NaN before the first read: the alerts expect that each relay has this metric. */
    private static double orNaN(Optional<Duration> age) {
        return age.map(Families::seconds).orElse(Double.NaN);
    }

    /** The values of one sample. */
    private record Scrape(Sample sample, Families families) {
        void add() {
            each(
                    "lag_seconds",
                    status -> Families.seconds(status.lag()),
                    "Age of the oldest undelivered message in the outbox");
            each(
                    "backlog_messages",
                    SubscriptionStatus::backlog,
                    "Upper bound of the undelivered messages in the outbox");
            each("paused", status -> Families.flag(status.paused()), "1 while a person has paused the subscription");
            each(
                    "halted",
                    status -> Families.flag(status.halt().isPresent()),
                    "1 while the subscription is halted: a person must set where it resumes");
            each(
                    "presence",
                    status -> Families.flag(!status.lacksPresence()),
                    "0 while a relay works a lane without presence: after a crash, the lane waits until the lease ends");
            addFailures();
            families.gauge(
                    "bulk_retries",
                    "Bulk retries that run, are paused, or stopped because messages failed again",
                    sample.bulkRetries().stream()
                            .map(count -> new Value(
                                    subscription(count.subscription())
                                            .and("state", count.state().text()),
                                    count.number())));
            addIntakes();
            if (!sample.partitions().isEmpty()) {
                addPartitions();
            }
        }

        private void addIntakes() {
            eachIntake(
                    "intake_lag_seconds",
                    "No pending row of the intake is older",
                    intake -> Families.seconds(intake.lag()));
            counter("intake_copied_rows", "Rows that became messages", IntakeStatus::copied);
            counter(
                    "intake_rejected_rows",
                    "Rows that became dead letters of the intake, because no message could be made of them",
                    IntakeStatus::rejected);
            eachIntake(
                    "intake_dead_letters",
                    "Rejected rows that wait for a person, up to a bound",
                    intake -> intake.deadLetters().atLeast());
            state("intake_failing", "1 while the intake fails and is tried again", IntakeStatus.State.FAILING);
            state("intake_halted", "1 while the intake waits for a person", IntakeStatus.State.HALTED);
            state("intake_paused", "1 while a person has paused the intake", IntakeStatus.State.PAUSED);
            state("intake_unowned", "1 while no relay works the intake", IntakeStatus.State.NO_RELAY);
        }

        /** 1 for an intake in this state. An intake is in one state: the most severe one. */
        private void state(String name, String description, IntakeStatus.State state) {
            eachIntake(name, description, intake -> Families.flag(intake.state() == state));
        }

        private void eachIntake(String name, String description, ToDoubleFunction<IntakeStatus> value) {
            families.gauge(name, description, intakes(value));
        }

        private void counter(String name, String description, ToDoubleFunction<IntakeStatus> value) {
            families.counter(name, description, intakes(value));
        }

        private Stream<Value> intakes(ToDoubleFunction<IntakeStatus> value) {
            return sample.intakes().stream()
                    .map(intake -> new Value(Tags.of("intake", intake.name()), value.applyAsDouble(intake)));
        }

        private void addFailures() {
            each(
                    "retry_waiting_messages",
                    status -> status.waiting().atLeast(),
                    "Messages that wait for another attempt, up to a bound");
            each(
                    "blocked_messages",
                    status -> status.blocked().atLeast(),
                    "Messages that wait behind an earlier one of their key, up to a bound");
            each(
                    "blocked_keys",
                    status -> status.blockedKeys().atLeast(),
                    "Keys of the blocked messages, up to a bound");
            each(
                    "blocked_key_oldest_seconds",
                    status -> Families.seconds(status.blockedOldest()),
                    "Longest time for which a waiting message, or a dead letter that blocks its key, has been failing");
            each(
                    "keys_blocked_by_dead_letters",
                    status -> status.keysBlockedByDead().atLeast(),
                    "Keys whose messages wait until a person retries or discards a dead letter, up to a bound");
            each("dead_letters", status -> status.deadLetters().atLeast(), "Dead letters, up to a bound");
            each(
                    "dead_letter_oldest_seconds",
                    status -> Families.seconds(status.deadLetterOldest()),
                    "Time since the last failure of the oldest dead letter");
        }

        private void addPartitions() {
            Set<String> holders = sample.partitions().stream()
                    .filter(partition -> partition.state() == Partition.State.HELD_BACK)
                    .flatMap(partition -> partition.holders().stream())
                    .map(Holder::subscription)
                    .collect(Collectors.toSet());
            each(
                    "pruning_held_back",
                    status -> Families.flag(holders.contains(status.name())),
                    "1 while the subscription prevents partitions from being pruned");
            families.gauge("partitions_ahead", "Partitions beyond the current one", ahead());
            families.gauge("oldest_message_seconds", "Age of the oldest message in the outbox", oldest());
        }

        /** Number of partitions ahead of use, without outbox_default. */
        private double ahead() {
            return sample.partitions().stream()
                    .filter(partition -> partition.state() == Partition.State.AHEAD
                            && partition.ids().isPresent())
                    .count();
        }

        private double oldest() {
            Optional<Instant> oldest = sample.partitions().stream()
                    .flatMap(partition -> partition.oldest().stream())
                    .min(Comparator.naturalOrder());
            return oldest.map(written -> Math.max(0, Families.seconds(Duration.between(written, Clock.SYSTEM.now()))))
                    .orElse(0.0);
        }

        private void each(String name, ToDoubleFunction<SubscriptionStatus> value, String description) {
            families.gauge(
                    name,
                    description,
                    sample.subscriptions().stream()
                            .map(status -> new Value(subscription(status.name()), value.applyAsDouble(status))));
        }
    }

    private static Tags subscription(String name) {
        return Tags.of("subscription", name);
    }
}
