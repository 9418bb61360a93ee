package dev.caravan.cli;

import dev.caravan.deadletter.DeadLetters;
import dev.caravan.retry.Retries;
import dev.caravan.retry.Waiting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Messages that wait and that a person named. */
final class NamedWaiting extends NamedMessages {
    private final Retries retries;
    private final DeadLetters deadLetters;
    private final List<Waiting> found = new ArrayList<>();

    NamedWaiting(DataSource database) {
        super(database);
        retries = new Retries(database);
        deadLetters = new DeadLetters(database);
    }

    @Override
    String howToName() {
        return "Name a message that waits by SUBSCRIPTION ID.";
    }

    /** No index serves this, and many messages may wait. */
    @Override
    void findMessage(Optional<String> subscription, UUID messageId) {
        throw new IllegalArgumentException(howToName() + " A message id (a UUID) names dead letters only.");
    }

    /** Named twice is named once. */
    @Override
    void findOne(String subscription, long id) throws SQLException {
        Optional<Waiting> waiting = retries.find(subscription, id);
        if (waiting.isPresent()) {
            waiting.filter(message -> !found.contains(message)).ifPresent(found::add);
        } else {
            boolean dead = deadLetters.find(subscription, id).isPresent();
            miss(subscription + " " + id + (dead ? " does not wait, it is a dead letter" : " does not wait")
                    + lastChange(subscription, id) + ".");
        }
    }

    List<Waiting> found() {
        return found;
    }
}
