package dev.caravan.store;

import javax.sql.DataSource;

/**
 * The connections of a lane. What a lane knows is true in one history of the database only: in another one ids that it has passed
 * are given out again. So all its connections lead to the history in which it was claimed.
 */
public final class LaneConnections extends OutboxConnections {
    private volatile DatabaseHistory history;

    public LaneConnections(DataSource source, Histories histories) {
        super(source, histories);
    }

    /** Takes the history of the next connection as that of the lane. To be called before a lane is claimed. */
    public void forget() {
        history = null;
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
