package dev.caravan.cli;

import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Waiting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Looks up waiting messages named on the command line. */
final class NamedWaitingMessages extends NamedMessages {
    private final Retries retries;
    private final DeadLetters deadLetters;
    private final List<Waiting> found = new ArrayList<>();

    NamedWaitingMessages(DataSource database) {
        super(database);
        retries = new Retries(database);
        deadLetters = new DeadLetters(database);
    }

    @Override
    String usage() {
        return "Name a waiting message by SUBSCRIPTION ID.";
    }

    /** Not supported: there is no index on the message id, and the table may be large. */
    @Override
    void findMessage(Optional<String> subscription, UUID messageId) {
        throw new IllegalArgumentException(usage() + " A message id (a UUID) works for dead letters only.");
    }

    /** Ignores a message that was named before. */
    @Override
    void findOne(String subscription, long id) throws SQLException {
        Optional<Waiting> waiting = retries.find(subscription, id);
        if (waiting.isPresent()) {
            waiting.filter(message -> !found.contains(message)).ifPresent(found::add);
        } else {
            boolean dead = deadLetters.find(subscription, id).isPresent();
            miss(
                    subscription,
                    subscription + " " + id + (dead ? " is not waiting, it is a dead letter" : " is not waiting")
                            + lastChange(subscription, id) + ".");
        }
    }

    List<Waiting> found() {
        return found;
    }
}
