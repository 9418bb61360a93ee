package dev.caravan.cli;

import dev.caravan.base.message.Key;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Option;

/** The filter options that dead letters and waiting messages share. */
final class MessageFilterOptions {
    @Option(names = "--subscription", paramLabel = "NAME", description = "Only messages of this subscription.")
    private String subscription;

    @Option(
            names = "--type",
            paramLabel = "PATTERN",
            description = "Only messages of these types: patterns with *, separated by commas, for example 'order.*'")
    private String types;

    @Option(
            names = "--key",
            paramLabel = "TYPE/ID",
            converter = KeyConverter.class,
            description = "Only messages of this key, for example order/77")
    private Key key;

    @Option(
            names = "--error",
            paramLabel = "TEXT",
            description = "Only messages whose error class, error text or answer contains this, ignoring case.")
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

    /** True when any filter except the subscription is given. */
    boolean restricts() {
        return types != null || key != null || error != null;
    }

    /** A sentence about an unknown subscription, with a leading space; empty when the subscription is known or not given. */
    String unknownSubscription(DataSource database) throws SQLException {
        String unknown =
                subscription == null ? "" : new SubscriptionNames(new Subscriptions(database)).unknown(subscription);
        return unknown.isEmpty() ? "" : " " + unknown;
    }
}
