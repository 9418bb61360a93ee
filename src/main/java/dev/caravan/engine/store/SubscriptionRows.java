package dev.caravan.engine.store;

import dev.caravan.engine.progress.Writers;
import java.sql.Timestamp;
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
        return jdbc.queryForObject(Sql.IS_SUBSCRIBED.text(), (row, n) -> row.getBoolean(1), lane.subscription());
    }

    /** The last id that was drawn. */
    long lastId() {
        return jdbc.queryForObject(Sql.LAST_ID.text(), (row, n) -> row.getLong(1));
    }

    Writers writers() {
        return new WriterStore(jdbc).writers();
    }

    /** Creates all lanes of the subscription; no effect if it exists. */
    public void create(Start start) {
        create(start, 1);
    }

    /** @param firstOpen the lowest missing id that an open transaction may still fill, or a lower id */
    void create(Start start, long firstOpen) {
        if (start.latest()) {
            jdbc.update(Sql.SUBSCRIBE_LATEST.text(), firstOpen, lane.subscription(), lane.lanes(), lane.lanes());
        } else if (start.since() == null) {
            jdbc.update(Sql.SUBSCRIBE.text(), lane.subscription(), lane.lanes(), start.id() - 1, lane.lanes());
        } else {
            jdbc.update(
                    Sql.SUBSCRIBE_SINCE.text(),
                    Timestamp.from(start.since()),
                    firstOpen,
                    lane.subscription(),
                    lane.lanes(),
                    lane.lanes());
        }
    }

    /**
     * Halts the subscription if the sequence does not continue after the saved position of one of its lanes.
     *
     * @param found the state of the sequence when the error was found
     * @return whether this call halted it
     */
    public boolean halt(SequenceState found) {
        return jdbc.update(
                        Sql.HALT.text(),
                        lane.subscription(),
                        found.lastId(),
                        found.lastId(),
                        found.file(),
                        found.lastId(),
                        lane.subscription())
                > 0;
    }
}
