package dev.caravan.cli;

import dev.caravan.deadletter.Audit;
import dev.caravan.deadletter.AuditEntry;
import dev.caravan.deadletter.DeadLetter;
import dev.caravan.deadletter.DeadLetters;
import dev.caravan.deadletter.DeadLetters.Place;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Dead letters that a person named: {@code SUBSCRIPTION ID…}, or message ids, which are the same in all subscriptions. */
final class NamedDeadLetters {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final Pattern UUID_FORM =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private final DeadLetters deadLetters;
    private final Audit audit;
    private final List<Place> found = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();

    NamedDeadLetters(DataSource database) {
        this.deadLetters = new DeadLetters(database);
        this.audit = new Audit(database);
    }

    /**
     * Looks all of them up.
     *
     * @param given subscription from an option; without it the first word is the subscription unless all are message ids
     * @throws IllegalArgumentException when the words are no names, with what is wrong
     */
    void find(Optional<String> given, List<String> words) throws SQLException {
        boolean onlyMessageIds =
                words.stream().allMatch(word -> UUID_FORM.matcher(word).matches());
        if (given.isPresent() || onlyMessageIds) {
            findEach(given, words);
        } else if (words.size() < 2) {
            throw new IllegalArgumentException("Name a dead letter by SUBSCRIPTION ID or by its message id (a UUID).");
        } else {
            findEach(Optional.of(words.get(0)), words.subList(1, words.size()));
        }
    }

    private void findEach(Optional<String> subscription, List<String> words) throws SQLException {
        for (String word : words) {
            if (UUID_FORM.matcher(word).matches()) {
                findMessage(subscription, word);
            } else if (NUMBER.matcher(word).matches()) {
                find(subscription.orElseThrow(), Long.parseLong(word));
            } else {
                throw new IllegalArgumentException(
                        "'" + Humane.line(word, 50) + "' is neither an id (a number) nor a message id (a UUID).");
            }
        }
    }

    private void findMessage(Optional<String> subscription, String messageId) throws SQLException {
        List<Place> places = deadLetters.ofMessage(UUID.fromString(messageId)).stream()
                .filter(place -> subscription.isEmpty() || place.subscription().equals(subscription.get()))
                .toList();
        if (places.isEmpty()) {
            missing.add("Message " + messageId + " is not a dead letter"
                    + subscription.map(name -> " of " + name).orElse("") + ".");
        }
        places.forEach(this::add);
    }

    private void find(String subscription, long id) throws SQLException {
        if (deadLetters.find(subscription, id).isPresent()) {
            add(new Place(subscription, id));
        } else {
            missing.add(subscription + " " + id + " is not a dead letter" + lastChange(subscription, id) + ".");
        }
    }

    /** Named twice is named once. */
    private void add(Place place) {
        if (!found.contains(place)) {
            found.add(place);
        }
    }

    private String lastChange(String subscription, long id) throws SQLException {
        List<AuditEntry> history = audit.ofMessage(subscription, id);
        if (history.isEmpty()) {
            return "";
        }
        AuditEntry last = history.get(history.size() - 1);
        return "; last change: " + last.action() + " by " + last.who() + " " + Humane.ago(last.at());
    }

    List<Place> found() {
        return found;
    }

    /** What does not exist, one sentence each. */
    List<String> missing() {
        return missing;
    }

    Optional<DeadLetter> load(Place place) throws SQLException {
        return deadLetters.find(place.subscription(), place.id());
    }
}
