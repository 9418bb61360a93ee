package dev.caravan.cli;

import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.DeadLetters.Place;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Looks up dead letters named on the command line. */
final class NamedDeadLetters extends NamedMessages {
    private final DeadLetters deadLetters;
    private final List<Place> found = new ArrayList<>();

    NamedDeadLetters(DataSource database) {
        super(database);
        this.deadLetters = new DeadLetters(database);
    }

    @Override
    String usage() {
        return "Name a dead letter by SUBSCRIPTION ID or by its message id (a UUID).";
    }

    @Override
    void findMessage(Optional<String> subscription, UUID messageId) throws SQLException {
        List<Place> places = deadLetters.ofMessage(messageId).stream()
                .filter(place -> subscription.isEmpty() || place.subscription().equals(subscription.get()))
                .toList();
        if (places.isEmpty()) {
            miss("Message " + messageId + " is not a dead letter"
                    + subscription.map(name -> " of " + name).orElse("") + ".");
        }
        places.forEach(this::add);
    }

    @Override
    void findOne(String subscription, long id) throws SQLException {
        if (deadLetters.find(subscription, id).isPresent()) {
            add(new Place(subscription, id));
        } else {
            miss(subscription, subscription + " " + id + " is not a dead letter" + lastChange(subscription, id) + ".");
        }
    }

    /** Ignores a dead letter that was named before. */
    private void add(Place place) {
        if (!found.contains(place)) {
            found.add(place);
        }
    }

    List<Place> found() {
        return found;
    }

    Optional<DeadLetter> load(Place place) throws SQLException {
        return deadLetters.find(place.subscription(), place.id());
    }
}
