package dev.caravan.engine.store;

import javax.sql.DataSource;

/**
 * The database connections of a lane, or of the tail that lanes follow. The state of a lane is valid in one history of the database only: another history may
 * assign ids at or below the position again. Therefore all connections of a lane must have the history in which it was claimed.
 */
public final class LaneConnections extends OutboxConnections {
    private volatile DatabaseHistory history;
    /** The history before {@link #forgetHistory()}. */
    private volatile DatabaseHistory before;

    public LaneConnections(DataSource source, Histories histories) {
        super(source, histories);
    }

    /** Lets the next connection set the history of the lane. Must be called before a lane is claimed. */
    public void forgetHistory() {
        before = history == null ? before : history;
        history = null;
    }

    /** Whether the database has another history now than before {@link #forgetHistory()}. */
    public boolean isOtherHistory() {
        return history != null && before != null && !history.equals(before);
    }

    /** Whether the connections since {@link #forgetHistory()} have the history with this number. */
    public boolean haveHistory(long number) {
        DatabaseHistory current = history;
        return current != null && current.number() == number;
    }

    /** Whether both have a history, and it is the same. */
    public boolean haveSameHistoryAs(LaneConnections other) {
        DatabaseHistory current = history;
        return current != null && current.equals(other.history);
    }

    /** Requires the history of other connections from now on. */
    public void continueHistoryOf(LaneConnections other) {
        history = other.history;
    }

    @Override
    void require(DatabaseHistory found) throws OtherHistoryException {
        if (history == null) {
            history = found;
        } else if (!history.equals(found)) {
            throw new OtherHistoryException(history, found);
        }
    }
}
