package dev.caravan.engine.store;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.progress.IdRanges;
import java.time.Duration;

/**
 * What a save without changes of messages writes into the row of a lane.
 *
 * @param number number of this save of the lane
 * @param lastSave number of the last save that is known to be committed
 * @param lastRequested number of the last save that was requested before
 */
public record ProgressRow(
        LaneId lane, long epoch, Save save, Duration lease, long number, long lastSave, long lastRequested) {
    long position() {
        return save.progress().position();
    }

    String gaps() {
        return save.progress().gaps().toMultirange();
    }

    boolean olderGapsChange() {
        return save.progress().olderGaps() != null;
    }

    /** Null if there are none, or they do not change. */
    String olderGaps() {
        IdRanges older = save.progress().olderGaps();
        return older == null || older.isEmpty() ? null : older.toMultirange();
    }

    /** The statement that saves this row alone. */
    Sql in(Sql statement) {
        return statement
                .with("subscription", lane.subscription())
                .with("lane", lane.number())
                .with("epoch", epoch)
                .with("position", position())
                .with("gaps", gaps())
                .with("older_gaps_change", olderGapsChange())
                .with("older_gaps", olderGaps())
                .with("delivered", save.delivered())
                .with("lease_millis", lease.toMillis())
                .with("session", save.session().key())
                .with("session_server", save.session().server())
                .with("number", number)
                .with("last_save", lastSave)
                .with("last_requested", lastRequested);
    }
}
