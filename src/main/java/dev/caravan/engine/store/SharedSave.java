package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.engine.store.SubscriptionStore.Saved;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcOperations;

/** The statement with which a relay saves the progress of its lanes together. Not thread-safe. */
public final class SharedSave {
    private final Clock clock;
    private final Sql statement = Sql.file("engine/save_all");

    public SharedSave(Clock clock) {
        this.clock = clock;
    }

    /** The text of the statement. */
    public String text() {
        return statement.text();
    }

    /**
     * Saves progress without changes of messages.
     *
     * @return what was saved for each row; empty for a row that is not changed, for any reason, whose lane has to save alone
     */
    public List<Optional<Saved>> write(List<ProgressRow> rows, JdbcOperations jdbc) {
        long requestedAt = clock.elapsed();
        List<Optional<Saved>> saved = new ArrayList<>(Collections.nCopies(rows.size(), Optional.empty()));
        of(rows).query(jdbc, found -> {
            int place = found.getInt(1) - 1;
            long number = rows.get(place).number();
            return saved.set(
                    place,
                    Optional.of(new Saved(
                            found.getBoolean(2), found.getLong(3), number, requestedAt, List.of(), List.of())));
        });
        return saved;
    }

    private Sql of(List<ProgressRow> rows) {
        return statement
                .withEach("subscriptions", rows, row -> row.lane().subscription(), String[]::new)
                .withEach("lanes", rows, row -> row.lane().number(), Integer[]::new)
                .withEach("epochs", rows, ProgressRow::epoch, Long[]::new)
                .withEach("positions", rows, ProgressRow::position, Long[]::new)
                .withEach("gaps", rows, ProgressRow::gaps, String[]::new)
                .withEach("older_gaps_changes", rows, ProgressRow::olderGapsChange, Boolean[]::new)
                .withEach("older_gaps", rows, ProgressRow::olderGaps, String[]::new)
                .withEach("delivered", rows, row -> row.save().delivered(), Long[]::new)
                .withEach("lease_millis", rows, row -> row.lease().toMillis(), Long[]::new)
                .withEach("sessions", rows, row -> row.save().session().key(), Long[]::new)
                .withEach("session_servers", rows, row -> row.save().session().server(), Long[]::new)
                .withEach("numbers", rows, ProgressRow::number, Long[]::new)
                .withEach("last_saves", rows, ProgressRow::lastSave, Long[]::new)
                .withEach("last_requested", rows, ProgressRow::lastRequested, Long[]::new);
    }
}
