package dev.caravan.operate.watch;

import dev.caravan.database.BoundedCount;
import dev.caravan.operate.explain.Diagnosis;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The state of an outbox of the database.
 *
 * @param version the schema version of its tables; empty if it could not be read
 * @param seen what was read; empty if it could not be read
 * @param remedy why it could not be read, and what a person has to do; empty if it could be read
 */
public record OutboxStatus(DatabaseOutbox outbox, OptionalInt version, Optional<Seen> seen, String remedy) {
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
    public String state() {
        return verdict("state")
                .orElse(
                        outbox.access() == DatabaseOutbox.Access.READABLE
                                ? "not readable"
                                : outbox.access().toString());
    }

    /** The state and its reason in one sentence. */
    public String text() {
        return verdict("text").orElse(state() + ": " + remedy);
    }

    private Optional<String> verdict(String field) {
        return seen.map(it -> (String)
                Diagnosis.verdict(it.problems(), it.sample().subscriptions()).get(field));
    }

    /** Upper bound of the number of undelivered messages, over all subscriptions; empty if it could not be read. */
    public Optional<Long> backlog() {
        return each(all -> all.stream().mapToLong(SubscriptionStatus::backlog).sum());
    }

    /** Age of the oldest undelivered message of any subscription. */
    public Optional<Duration> lag() {
        return each(all -> all.stream()
                .map(SubscriptionStatus::lag)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO));
    }

    /** Dead letters of all subscriptions. */
    public Optional<BoundedCount> deadLetters() {
        return each(all -> all.stream()
                .map(SubscriptionStatus::deadLetters)
                .reduce(
                        new BoundedCount(0, false),
                        (one, two) -> new BoundedCount(one.atLeast() + two.atLeast(), one.more() || two.more())));
    }

    private <T> Optional<T> each(Function<List<SubscriptionStatus>, T> value) {
        return seen.map(it -> value.apply(it.sample().subscriptions()));
    }

    /** The JSON fields. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("outbox", outbox.schema());
        fields.put("own", outbox.own());
        fields.put("schemaVersion", version.isPresent() ? version.getAsInt() : null);
        fields.put("at", seen.map(it -> it.sample().at().toString()).orElse(null));
        fields.put("state", state());
        fields.put("text", text());
        fields.put("subscriptions", each(List::size).orElse(null));
        fields.put("backlog", backlog().orElse(null));
        fields.put("lagSeconds", lag().map(lag -> lag.toMillis() / 1000.0).orElse(null));
        fields.put("deadLetters", deadLetters().orElse(null));
        fields.put("relays", seen.map(Seen::relays).orElse(null));
        return fields;
    }
}
