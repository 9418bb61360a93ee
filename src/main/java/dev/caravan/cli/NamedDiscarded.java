package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.operate.failed.Discarded;
import dev.caravan.operate.failed.Discards;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Looks up discarded dead letters named on the command line. */
final class NamedDiscarded extends NamedMessages {
    private final Discards discards;
    private final List<Discarded> found = new ArrayList<>();

    NamedDiscarded(Settings settings, DataSource database) {
        super(database);
        this.discards = Discards.from(settings, database);
    }

    @Override
    String usage() {
        return "Name a discarded dead letter by SUBSCRIPTION ID.";
    }

    /** Not supported: there is no index on the message id. */
    @Override
    void findMessage(Optional<String> subscription, UUID messageId) {
        throw new IllegalArgumentException("Name a discarded dead letter by SUBSCRIPTION ID, not by its message id;"
                + " caravan dead-letters discarded shows both.");
    }

    @Override
    void findOne(String subscription, long id) throws SQLException {
        Optional<Discarded> one = discards.find(subscription, id);
        one.filter(message -> !found.contains(message)).ifPresent(found::add);
        if (one.isEmpty()) {
            miss(
                    subscription,
                    "No discarded dead letter " + subscription + " " + id + " is kept" + lastChange(subscription, id)
                            + ".");
        }
    }

    List<Discarded> found() {
        return found;
    }
}
