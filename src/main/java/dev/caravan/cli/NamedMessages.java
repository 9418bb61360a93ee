package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.UuidText;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Looks up messages named on the command line: {@code SUBSCRIPTION ID…}, or message ids of any subscription. */
abstract class NamedMessages {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private final Audit audit;
    private final SubscriptionNames names;
    private final List<String> missing = new ArrayList<>();

    NamedMessages(DataSource database) {
        audit = new Audit(database);
        names = new SubscriptionNames(new Subscriptions(database));
    }

    /** A sentence that says how to name a message. */
    abstract String usage();

    abstract void findMessage(Optional<String> subscription, UUID messageId) throws SQLException;

    abstract void findOne(String subscription, long id) throws SQLException;

    /**
     * Looks up all named messages.
     *
     * @param given subscription from an option; without it the first word is the subscription, unless all words are message ids
     * @throws IllegalArgumentException when a word is neither an id nor a message id
     */
    final void find(Optional<String> given, List<String> words) throws SQLException {
        boolean onlyMessageIds = words.stream().allMatch(UuidText::isUuid);
        if (given.isPresent() || onlyMessageIds) {
            findEach(given, words);
        } else if (words.size() < 2) {
            throw new IllegalArgumentException(usage());
        } else {
            findEach(Optional.of(words.get(0)), words.subList(1, words.size()));
        }
    }

    private void findEach(Optional<String> subscription, List<String> words) throws SQLException {
        for (String word : words) {
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

    final void miss(String sentence) {
        missing.add(sentence);
    }

    /** Records that a subscription has no such message; adds that there is no such subscription if that is the reason. */
    final void miss(String subscription, String sentence) throws SQLException {
        String unknown = names.unknown(subscription);
        miss(unknown.isEmpty() ? sentence : sentence + " " + unknown);
    }

    /** One text for each message that does not exist or cannot be changed. */
    final List<String> missing() {
        return missing;
    }

    /** {@code ; last change: retry by anna 5m 2s ago}, or an empty text if there is no change. */
    final String lastChange(String subscription, long id) throws SQLException {
        List<AuditEntry> history = audit.ofMessage(subscription, id);
        if (history.isEmpty()) {
            return "";
        }
        AuditEntry last = history.get(history.size() - 1);
        return "; last change: " + last.action() + " by " + last.who() + " " + Formatted.ago(last.at());
    }
}
