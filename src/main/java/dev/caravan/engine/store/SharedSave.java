package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.store.SubscriptionStore.Saved;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcOperations;

/** The statement with which a relay saves the progress of its lanes together. Not thread-safe. */
public final class SharedSave {
    /**
     * The part of one lane.
     *
     * @param epoch the epoch of its lease
     */
    public record Part(SubscriptionStore store, long epoch, Save save) {}

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
     * @return what was saved; a lane that is absent is not changed, for any reason, and has to save alone
     */
    public Map<Part, Saved> write(List<Part> parts, JdbcOperations jdbc) {
        List<ProgressRow> rows = parts.stream()
                .map(part -> part.store().row(part.epoch(), part.save()))
                .toList();
        long requestedAt = clock.elapsed();
        Map<Part, Saved> saved = new HashMap<>();
        of(rows).query(jdbc, found -> {
            int place = found.getInt(1) - 1;
            Part part = parts.get(place);
            long number = rows.get(place).number();
            part.store().saved(number);
            return saved.put(
                    part, new Saved(found.getBoolean(2), found.getLong(3), number, requestedAt, List.of(), List.of()));
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
