package dev.caravan.cli;

import dev.caravan.base.message.Key;
import dev.caravan.operate.failed.ErrorGroup;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import picocli.CommandLine.Option;

/** The filter options that dead letters, waiting messages and discarded dead letters share. */
abstract class MessageFilterOptions {
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

    final Optional<String> subscription() {
        return Optional.ofNullable(subscription);
    }

    /** The filter of these options. */
    abstract MessageFilter filter();

    /** True when any filter except the subscription is given. */
    final boolean restricts() {
        return !filter().equals(MessageFilter.of(subscription(), Optional.empty(), Optional.empty(), Optional.empty()));
    }

    /** A sentence that says that nothing was found, and names an unknown subscription. */
    abstract String nothingFound(DataSource database) throws SQLException;

    final String nothingFound(DataSource database, String withoutFilter, String withFilter) throws SQLException {
        String unknown =
                subscription == null ? "" : new SubscriptionNames(new Subscriptions(database)).unknown(subscription);
        return (restricts() || subscription != null ? withFilter : withoutFilter)
                + (unknown.isEmpty() ? "" : " " + unknown);
    }

    final MessageFilter shared() {
        return MessageFilter.of(
                subscription(), Optional.ofNullable(types), Optional.ofNullable(key), Optional.ofNullable(error));
    }

    /** The filter options of commands on dead letters. */
    static final class OfDeadLetters extends MessageFilterOptions {
        @Option(
                names = "--since",
                paramLabel = "TIME",
                converter = TimeConverter.class,
                description = "Only those whose last failure is at or after this time: " + TimeConverter.FORMS)
        private Instant since;

        @Option(
                names = "--until",
                paramLabel = "TIME",
                converter = TimeConverter.class,
                description = "Only those whose last failure is before this time.")
        private Instant until;

        @Option(
                names = "--group",
                paramLabel = "GROUP",
                converter = ErrorGroupConverter.class,
                description = "Only those of this group of errors, as caravan dead-letters groups shows it.")
        private ErrorGroup group;

        @Override
        MessageFilter filter() {
            return shared().between(Optional.ofNullable(since), Optional.ofNullable(until))
                    .inGroup(Optional.ofNullable(group));
        }

        @Override
        String nothingFound(DataSource database) throws SQLException {
            return nothingFound(database, "No dead letters.", "No dead letter matches.");
        }
    }

    /** The filter options of commands on discarded dead letters. */
    static final class OfDiscarded extends MessageFilterOptions {
        @Option(
                names = "--since",
                paramLabel = "TIME",
                converter = TimeConverter.class,
                description = "Only those that were discarded at or after this time: " + TimeConverter.FORMS)
        private Instant since;

        @Option(
                names = "--until",
                paramLabel = "TIME",
                converter = TimeConverter.class,
                description = "Only those that were discarded before this time.")
        private Instant until;

        @Option(
                names = "--discard",
                paramLabel = "ID",
                description = "Only those of this change, as caravan dead-letters discard prints it.")
        private UUID discard;

        @Override
        MessageFilter filter() {
            return shared().between(Optional.ofNullable(since), Optional.ofNullable(until))
                    .discardedBy(Optional.ofNullable(discard));
        }

        @Override
        String nothingFound(DataSource database) throws SQLException {
            return nothingFound(database, "No discarded dead letters are kept.", "No discarded dead letter matches.");
        }
    }

    /** The filter options of commands on waiting messages. */
    static final class OfWaiting extends MessageFilterOptions {
        @Option(
                names = "--failing-since",
                paramLabel = "TIME",
                converter = TimeConverter.class,
                description = "Only those whose first failure is at or before this time: " + TimeConverter.FORMS)
        private Instant failingSince;

        @Override
        MessageFilter filter() {
            return filter(false);
        }

        MessageFilter filter(boolean blocked) {
            return shared().waiting(Optional.ofNullable(failingSince), blocked);
        }

        @Override
        String nothingFound(DataSource database) throws SQLException {
            return nothingFound(database, false);
        }

        String nothingFound(DataSource database, boolean blocked) throws SQLException {
            String waits = blocked ? "is blocked." : "waits for another attempt.";
            return nothingFound(database, "No message " + waits, "No message that matches " + waits);
        }
    }
}
