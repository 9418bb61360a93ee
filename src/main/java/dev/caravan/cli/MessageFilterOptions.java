package dev.caravan.cli;

import dev.caravan.base.message.Key;
import dev.caravan.base.text.PointInTime;
import dev.caravan.base.text.TimeRange;
import dev.caravan.cli.ChangeText.Messages;
import dev.caravan.cli.NamedMessages.Changeable;
import dev.caravan.operate.failed.BlockedText;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DiscardedSearch;
import dev.caravan.operate.failed.ErrorGroup;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Search;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import picocli.CommandLine.Option;

/** The filter options that dead letters, waiting messages and discarded dead letters share. */
abstract class MessageFilterOptions extends CommandOptions {
    @Option(names = "--subscription", paramLabel = "NAME", description = "Only messages of this subscription.")
    private String subscription;

    @Option(
            names = "--type",
            paramLabel = "PATTERN",
            description = "Only messages of these types: patterns with *, separated by commas, for example 'order.*'")
    private String types;

    @Option(names = "--key", paramLabel = "TYPE/ID", description = "Only messages of this key, for example order/77")
    private Key key;

    @Option(
            names = "--error",
            paramLabel = "TEXT",
            description = "Only messages whose error class, error text or answer contains this, ignoring case.")
    private String error;

    private final Messages messages;

    MessageFilterOptions(String noun, String name, String otherChanges) {
        messages = new Messages(noun, name, otherChanges);
    }

    /** The words for the messages. */
    final Messages messages() {
        return messages;
    }

    /** Finds the messages that match. */
    abstract Search<?> search(DataSource database);

    /** The messages with these names, for a change. */
    abstract Changeable named(List<String> names, DataSource database, SettingsOptions options) throws SQLException;

    final Optional<String> subscription() {
        return Optional.ofNullable(subscription);
    }

    /** The filter of these options. */
    abstract MessageFilter filter();

    /**
     * Checks the filter before it is used.
     *
     * @param after a sentence that follows an error, with a leading space
     * @throws CommandFailure if the subscription is unknown and nothing of it is stored
     */
    final void check(DataSource database, String after) throws SQLException {
        new SubscriptionNames(new Subscriptions(database)).requireStored(subscription(), after);
    }

    /**
     * The range of two options.
     *
     * @throws picocli.CommandLine.ParameterException if no time is in it
     */
    final TimeRange timeRange(Instant since, Instant until) {
        return timeRange(since, until, this);
    }

    /** The same for a command. */
    static TimeRange timeRange(Instant since, Instant until, CommandOptions command) {
        TimeRange range = new TimeRange(Optional.ofNullable(since), Optional.ofNullable(until));
        if (range.isEmpty()) {
            throw command.wrong(range.problem("--since", "--until"));
        }
        return range;
    }

    /** True when any filter except the subscription is given. */
    final boolean restricts() {
        return !filter().equals(MessageFilter.of(subscription(), Optional.empty(), Optional.empty(), Optional.empty()));
    }

    /** A sentence that says that nothing was found. */
    abstract String nothingFound();

    final String nothingFound(String withoutFilter, String withFilter) {
        return restricts() || subscription != null ? withFilter : withoutFilter;
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
                description = "Only those whose last failure is at or after this time: " + PointInTime.FORMS)
        private Instant since;

        @Option(
                names = "--until",
                paramLabel = "TIME",
                description = "Only those whose last failure is before this time.")
        private Instant until;

        @Option(
                names = "--group",
                paramLabel = "GROUP",
                description = "Only those of this group of errors, as caravan dead-letters groups shows it.")
        private ErrorGroup group;

        OfDeadLetters() {
            super("dead letter", "dead letters", "retried, discarded, or dead again");
        }

        @Override
        DeadLetterSearch search(DataSource database) {
            return new DeadLetterSearch(database);
        }

        @Override
        Changeable named(List<String> names, DataSource database, SettingsOptions options) throws SQLException {
            var named = NamedMessages.dead(database).find(subscription(), names, options);
            return new Changeable(
                    named.found().stream().map(DeadLetter::summary).toList(), named.missing());
        }

        @Override
        MessageFilter filter() {
            return shared().between(timeRange(since, until)).inGroup(Optional.ofNullable(group));
        }

        @Override
        String nothingFound() {
            return nothingFound("No dead letters.", "No dead letter matches.");
        }
    }

    /** The filter options of commands on discarded dead letters. */
    static final class OfDiscarded extends MessageFilterOptions {
        @Option(
                names = "--since",
                paramLabel = "TIME",
                description = "Only those that were discarded at or after this time: " + PointInTime.FORMS)
        private Instant since;

        @Option(
                names = "--until",
                paramLabel = "TIME",
                description = "Only those that were discarded before this time.")
        private Instant until;

        @Option(
                names = "--discard",
                paramLabel = "ID",
                description = "Only those of this change, as caravan dead-letters discard prints it.")
        private UUID discard;

        OfDiscarded() {
            super("discarded dead letter", "discarded dead letters", "restored, deleted, or replayed");
        }

        @Override
        DiscardedSearch search(DataSource database) {
            return new DiscardedSearch(database);
        }

        @Override
        Changeable named(List<String> names, DataSource database, SettingsOptions options) throws SQLException {
            var named = NamedMessages.discarded(options.settings(), database).find(subscription(), names, options);
            return new Changeable(named.found(), named.missing());
        }

        @Override
        MessageFilter filter() {
            return shared().between(timeRange(since, until)).discardedBy(Optional.ofNullable(discard));
        }

        @Override
        String nothingFound() {
            return nothingFound("No discarded dead letters are kept.", "No discarded dead letter matches.");
        }
    }

    /** The filter options of commands on waiting messages. */
    static final class OfWaiting extends MessageFilterOptions {
        @Option(
                names = "--failing-since",
                paramLabel = "TIME",
                description = "Only those whose first failure is at or before this time: " + PointInTime.FORMS)
        private Instant failingSince;

        OfWaiting() {
            super("waiting message", "retries", "tried, given up or blocked");
        }

        @Override
        WaitingSearch search(DataSource database) {
            return new WaitingSearch(database);
        }

        /** Blocked messages are refused: they have no attempt of their own. */
        @Override
        Changeable named(List<String> names, DataSource database, SettingsOptions options) throws SQLException {
            var named = NamedMessages.waiting(database).find(subscription(), names, options);
            Retries retries = new Retries(database);
            List<WaitingSummary> free = new ArrayList<>();
            for (Waiting message : named.found()) {
                if (message.summary().isBlocked()) {
                    named.miss(BlockedText.of(message.summary(), retries.blocker(message.summary())));
                } else {
                    free.add(message.summary());
                }
            }
            return new Changeable(free, named.missing());
        }

        @Override
        MessageFilter filter() {
            return filter(false);
        }

        MessageFilter filter(boolean blocked) {
            return shared().waiting(Optional.ofNullable(failingSince), blocked);
        }

        @Override
        String nothingFound() {
            return nothingFound(false);
        }

        String nothingFound(boolean blocked) {
            String waits = blocked ? "is blocked." : "waits for another attempt.";
            return nothingFound("No message " + waits, "No message that matches " + waits);
        }
    }
}
