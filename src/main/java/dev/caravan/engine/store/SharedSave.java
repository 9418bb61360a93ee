package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.store.SubscriptionStore.Saved;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
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
                .with("subscriptions", texts(rows, row -> row.lane().subscription()))
                .with(
                        "lanes",
                        rows.stream().mapToInt(row -> row.lane().number()).toArray())
                .with("epochs", longs(rows, ProgressRow::epoch))
                .with("positions", longs(rows, ProgressRow::position))
                .with("gaps", texts(rows, ProgressRow::gaps))
                .with(
                        "older_gaps_changes",
                        rows.stream().map(ProgressRow::olderGapsChange).toArray(Boolean[]::new))
                .with("older_gaps", texts(rows, ProgressRow::olderGaps))
                .with("delivered", longs(rows, row -> row.save().delivered()))
                .with("lease_millis", longs(rows, row -> row.lease().toMillis()))
                .with("sessions", keys(rows, ProvenSession::key))
                .with("session_servers", keys(rows, ProvenSession::server))
                .with("numbers", longs(rows, ProgressRow::number))
                .with("last_saves", longs(rows, ProgressRow::lastSave))
                .with("last_requested", longs(rows, ProgressRow::lastRequested));
    }

    private static String[] texts(List<ProgressRow> rows, Function<ProgressRow, String> text) {
        return rows.stream().map(text).toArray(String[]::new);
    }

    private static long[] longs(List<ProgressRow> rows, ToLongFunction<ProgressRow> value) {
        return rows.stream().mapToLong(value).toArray();
    }

    private static Long[] keys(List<ProgressRow> rows, Function<ProvenSession, Long> value) {
        return rows.stream().map(row -> value.apply(row.save().session())).toArray(Long[]::new);
    }
}
