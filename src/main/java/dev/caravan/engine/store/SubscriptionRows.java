package dev.caravan.engine.store;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.Writers;
import org.springframework.jdbc.core.JdbcTemplate;

/** Creates and halts the rows of a subscription in {@code outbox_subscription}: one for each lane. */
public final class SubscriptionRows {
    private final JdbcTemplate jdbc;
    private final LaneId lane;

    /** @param lane any lane of the subscription */
    public SubscriptionRows(JdbcTemplate jdbc, LaneId lane) {
        this.jdbc = jdbc;
        this.lane = lane;
    }

    boolean exist() {
        return Sql.file("engine/is_subscribed")
                .with("subscription", lane.subscription())
                .first(jdbc, row -> row.getBoolean(1))
                .orElseThrow();
    }

    /** The last id that was drawn. */
    long lastId() {
        return Sql.file("engine/last_id").first(jdbc, row -> row.getLong(1)).orElseThrow();
    }

    Writers writers() {
        return WriterStore.open(jdbc);
    }

    /** Creates all lanes of the subscription; no effect if it exists. */
    public void create(Start start) {
        create(start, 1);
    }

    /** @param firstOpen the lowest missing id that an open transaction may still fill, or a lower id */
    void create(Start start, long firstOpen) {
        Sql sql = start.skipsByVisibility()
                ? ofVisible(start).with("first_open", firstOpen)
                : Sql.file("engine/subscribe").with("position", start.id() - 1).with("first_open", Long.MAX_VALUE);
        sql.with("subscription", lane.subscription())
                .with("lanes", lane.lanes())
                .update(jdbc);
    }

    private static Sql ofVisible(Start start) {
        return start.latest()
                ? Sql.file("engine/subscribe_latest")
                : Sql.file("engine/subscribe_since").with("since", start.since());
    }

    /**
     * Halts the subscription if the sequence does not continue after the saved position of one of its lanes.
     *
     * @param found the state of the sequence when the error was found
     * @return whether this call halted it
     */
    public boolean halt(SequenceState found) {
        return Sql.file("engine/halt")
                        .with("subscription", lane.subscription())
                        .with("last_id", found.lastId())
                        .with("file", found.file())
                        .update(jdbc)
                > 0;
    }
}
