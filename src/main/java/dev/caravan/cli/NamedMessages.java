package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.UuidText;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.DeadLetters.Place;
import dev.caravan.operate.failed.Discarded;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Versioned;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.camel.util.function.ThrowingBiFunction;
import org.apache.camel.util.function.ThrowingFunction;

/**
 * Looks up messages named on the command line: {@code SUBSCRIPTION ID…}, or message ids of any subscription.
 *
 * @param <T> a message
 */
final class NamedMessages<T> {
    /**
     * Messages that a command can change.
     *
     * @param missing one sentence for each message that does not exist or cannot be changed
     */
    record Changeable(List<? extends Versioned> found, List<String> missing) {}

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private final Audit audit;
    private final SubscriptionNames names;
    private final String usage;
    private final ThrowingBiFunction<String, Long, Optional<T>, SQLException> lookup;
    private final ThrowingFunction<UUID, List<Place>, SQLException> byMessageId;
    private final ThrowingBiFunction<String, Long, String, SQLException> missingText;
    private final Map<Place, T> found = new LinkedHashMap<>();
    private final List<String> missing = new ArrayList<>();

    /** @param missingText says that there is no such message */
    private NamedMessages(
            DataSource database,
            String usage,
            ThrowingBiFunction<String, Long, Optional<T>, SQLException> lookup,
            ThrowingFunction<UUID, List<Place>, SQLException> byMessageId,
            ThrowingBiFunction<String, Long, String, SQLException> missingText) {
        this.audit = new Audit(database);
        this.names = new SubscriptionNames(new Subscriptions(database));
        this.usage = usage;
        this.lookup = lookup;
        this.byMessageId = byMessageId;
        this.missingText = missingText;
    }

    static NamedMessages<DeadLetter> dead(DataSource database) {
        DeadLetters letters = new DeadLetters(database);
        return new NamedMessages<>(
                database,
                "Name a dead letter by SUBSCRIPTION ID or by its message id (a UUID).",
                letters::find,
                letters::ofMessage,
                (subscription, id) -> subscription + " " + id + " is not a dead letter");
    }

    /** Message ids are refused: there is no index on them. */
    static NamedMessages<Discarded> discarded(Settings settings, DataSource database) {
        String usage = "Name a discarded dead letter by SUBSCRIPTION ID";
        return new NamedMessages<>(
                database,
                usage + ".",
                Discards.from(settings, database)::find,
                refused(usage + ", not by its message id; caravan dead-letters discarded shows both."),
                (subscription, id) -> "No discarded dead letter " + subscription + " " + id + " is kept");
    }

    /** Message ids are refused: there is no index on them, and the table may be large. */
    static NamedMessages<Waiting> waiting(DataSource database) {
        String usage = "Name a waiting message by SUBSCRIPTION ID.";
        DeadLetters letters = new DeadLetters(database);
        return new NamedMessages<>(
                database,
                usage,
                new Retries(database)::find,
                refused(usage + " A message id (a UUID) works for dead letters only."),
                (subscription, id) -> subscription + " " + id + " is not waiting"
                        + (letters.find(subscription, id).isPresent() ? ", it is a dead letter" : ""));
    }

    private static ThrowingFunction<UUID, List<Place>, SQLException> refused(String text) {
        return messageId -> {
            throw new IllegalArgumentException(text);
        };
    }

    /**
     * Looks up all named messages.
     *
     * @param given subscription from an option; without it the first word is the subscription, unless all words are message ids
     * @throws picocli.CommandLine.ParameterException when a word is neither an id nor a message id
     */
    NamedMessages<T> find(Optional<String> given, List<String> words, CommandOptions command) throws SQLException {
        try {
            find(given, words);
            return this;
        } catch (IllegalArgumentException e) {
            throw command.wrong(e.getMessage());
        }
    }

    private void find(Optional<String> given, List<String> words) throws SQLException {
        boolean onlyMessageIds = words.stream().allMatch(UuidText::isUuid);
        if (given.isEmpty() && !onlyMessageIds && words.size() < 2) {
            throw new IllegalArgumentException(usage);
        }
        boolean named = given.isPresent() || onlyMessageIds;
        Optional<String> subscription = named ? given : Optional.of(words.get(0));
        for (String word : named ? words : words.subList(1, words.size())) {
            if (UuidText.isUuid(word)) {
                findMessage(subscription, UUID.fromString(word));
            } else if (NUMBER.matcher(word).matches()) {
                findOne(subscription.orElseThrow(), Long.parseLong(word));
            } else {
                throw new IllegalArgumentException(
                        "'" + Formatted.line(word, 50) + "' is neither an id (a number) nor a message id (a UUID).");
            }
        }
    }

    private void findMessage(Optional<String> subscription, UUID messageId) throws SQLException {
        List<Place> places = byMessageId.apply(messageId).stream()
                .filter(place -> subscription.isEmpty() || place.subscription().equals(subscription.get()))
                .toList();
        if (places.isEmpty()) {
            miss("Message " + messageId + " is not a dead letter"
                    + subscription.map(name -> " of " + name).orElse("") + ".");
        }
        for (Place place : places) {
            findOne(place.subscription(), place.id());
        }
    }

    private void findOne(String subscription, long id) throws SQLException {
        Optional<T> one = lookup.apply(subscription, id);
        one.ifPresent(message -> found.put(new Place(subscription, id), message));
        if (one.isEmpty()) {
            String unknown = names.unknown(subscription);
            miss(missingText.apply(subscription, id) + lastChange(subscription, id) + "."
                    + (unknown.isEmpty() ? "" : " " + unknown));
        }
    }

    /** {@code ; last change: retry by anna 5m 2s ago}, or an empty text if there is no change. */
    private String lastChange(String subscription, long id) throws SQLException {
        List<AuditEntry> history = audit.ofMessage(subscription, id);
        if (history.isEmpty()) {
            return "";
        }
        AuditEntry last = history.get(history.size() - 1);
        return "; last change: " + last.action() + " by " + last.who() + " " + Formatted.ago(last.at());
    }

    /** Adds a sentence about a message that cannot be changed. */
    void miss(String sentence) {
        missing.add(sentence);
    }

    /** One sentence for each message that does not exist or cannot be changed. */
    List<String> missing() {
        return missing;
    }

    /** Each message once, in the order of the command line. */
    List<T> found() {
        return List.copyOf(found.values());
    }
}
