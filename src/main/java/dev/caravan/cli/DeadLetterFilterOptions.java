package dev.caravan.cli;

import dev.caravan.deadletter.DeadLetterFilter;
import dev.caravan.deadletter.Subscriptions;
import dev.caravan.delivery.Key;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Option;

/** Which dead letters. */
final class DeadLetterFilterOptions {
    @Option(names = "--subscription", paramLabel = "NAME", description = "Of this subscription.")
    private String subscription;

    @Option(
            names = "--type",
            paramLabel = "PATTERN",
            description = "Of these types: * stands for anything, commas separate, for example 'order.*'")
    private String types;

    @Option(
            names = "--key",
            paramLabel = "TYPE/ID",
            converter = KeyConverter.class,
            description = "Of this key, for example order/77")
    private Key key;

    @Option(names = "--error", paramLabel = "TEXT", description = "Whose error class or text holds this, in any case.")
    private String error;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = MomentConverter.class,
            description = "That failed last at or after this: " + MomentConverter.FORMS)
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = MomentConverter.class,
            description = "That failed last before this.")
    private Instant until;

    DeadLetterFilter filter() {
        return new DeadLetterFilter(
                subscription(),
                Optional.ofNullable(types),
                Optional.ofNullable(key),
                Optional.ofNullable(error),
                Optional.ofNullable(since),
                Optional.ofNullable(until));
    }

    Optional<String> subscription() {
        return Optional.ofNullable(subscription);
    }

    /** True when anything but the subscription is given. */
    boolean restricts() {
        return types != null || key != null || error != null || since != null || until != null;
    }

    /** Why nothing was found, as far as it can be told. */
    String nothingFound(DataSource database) throws SQLException {
        String unknown =
                subscription == null ? "" : new SubscriptionNames(new Subscriptions(database)).unknown(subscription);
        return (restricts() || subscription != null ? "No dead letter matches." : "No dead letters.")
                + (unknown.isEmpty() ? "" : " " + unknown);
    }
}
