package dev.caravan.cli;

import dev.caravan.delivery.Key;
import dev.caravan.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Option;

/** Which messages of the side tables, by what both have. */
final class MessageFilterOptions {
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

    Optional<String> subscription() {
        return Optional.ofNullable(subscription);
    }

    Optional<String> types() {
        return Optional.ofNullable(types);
    }

    Optional<Key> key() {
        return Optional.ofNullable(key);
    }

    Optional<String> error() {
        return Optional.ofNullable(error);
    }

    /** True when anything but the subscription is given. */
    boolean restricts() {
        return types != null || key != null || error != null;
    }

    /** What is wrong with the subscription, to follow another sentence; empty when nothing is. */
    String unknownSubscription(DataSource database) throws SQLException {
        String unknown =
                subscription == null ? "" : new SubscriptionNames(new Subscriptions(database)).unknown(subscription);
        return unknown.isEmpty() ? "" : " " + unknown;
    }
}
