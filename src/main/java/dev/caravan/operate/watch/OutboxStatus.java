package dev.caravan.operate.watch;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.database.BoundedCount;
import dev.caravan.operate.explain.Diagnosis;
import dev.caravan.operate.explain.Diagnosis.Verdict;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The state of an outbox of the database.
 *
 * @param version the schema version of its tables; empty if it could not be read
 * @param seen what was read; empty if it could not be read
 * @param remedy why it could not be read, and what a person has to do; empty if it could be read
 */
@JsonPropertyOrder({
    "outbox",
    "own",
    "schemaVersion",
    "at",
    "state",
    "text",
    "subscriptions",
    "backlog",
    "lagSeconds",
    "deadLetters",
    "relays"
})
public record OutboxStatus(
        @JsonUnwrapped DatabaseOutbox outbox,
        @JsonProperty("schemaVersion") OptionalInt version,
        @JsonIgnore Optional<Seen> seen,
        @JsonIgnore String remedy) {
    /**
     * What was read.
     *
     * @param sample its subscriptions and partitions
     * @param relays the relays that hold a lane or share a subscription now
     */
    public record Seen(Sample sample, List<Problem> problems, List<String> relays) {}

    static OutboxStatus read(DatabaseOutbox outbox, OptionalInt version, Seen seen) {
        return new OutboxStatus(outbox, version, Optional.of(seen), "");
    }

    static OutboxStatus unread(DatabaseOutbox outbox, OptionalInt version, String remedy) {
        return new OutboxStatus(outbox, version, Optional.empty(), remedy);
    }

    /** {@code healthy}, {@code degraded}, {@code critical}, {@code down}; or why it could not be read: {@code no permission}. */
    @JsonProperty
    public String state() {
        return verdict()
                .map(Verdict::state)
                .orElse(
                        outbox.access() == DatabaseOutbox.Access.READABLE
                                ? "not readable"
                                : outbox.access().toString());
    }

    /** The state and its reason in one sentence. */
    @JsonProperty
    public String text() {
        return verdict().map(Verdict::text).orElse(state() + ": " + remedy);
    }

    private Optional<Verdict> verdict() {
        return seen.map(it -> Diagnosis.verdict(it.problems(), it.sample().subscriptions()));
    }

    /** When it was read. */
    @JsonProperty
    Optional<Instant> at() {
        return seen.map(it -> it.sample().at());
    }

    /** Number of its subscriptions. */
    @JsonProperty
    Optional<Integer> subscriptions() {
        return each(List::size);
    }

    @JsonProperty
    Optional<List<String>> relays() {
        return seen.map(Seen::relays);
    }

    /** Upper bound of the number of undelivered messages, over all subscriptions; empty if it could not be read. */
    @JsonProperty
    public Optional<Long> backlog() {
        return each(all -> all.stream().mapToLong(SubscriptionStatus::backlog).sum());
    }

    /** Age of the oldest undelivered message of any subscription. */
    @JsonProperty("lagSeconds")
    public Optional<Duration> lag() {
        return each(all -> all.stream()
                .map(SubscriptionStatus::lag)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO));
    }

    /** Dead letters of all subscriptions and intakes. */
    @JsonProperty
    public Optional<BoundedCount> deadLetters() {
        return seen.map(it -> Stream.concat(
                        it.sample().subscriptions().stream().map(SubscriptionStatus::deadLetters),
                        it.sample().intakes().stream().map(IntakeStatus::deadLetters))
                .reduce(
                        new BoundedCount(0, false),
                        (one, two) -> new BoundedCount(one.atLeast() + two.atLeast(), one.more() || two.more())));
    }

    private <T> Optional<T> each(Function<List<SubscriptionStatus>, T> value) {
        return seen.map(it -> value.apply(it.sample().subscriptions()));
    }
}
