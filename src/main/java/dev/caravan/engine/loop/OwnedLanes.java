package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.LaneConnections;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * The lanes that this relay owns, and the periodic statements that one thread runs for all of them: the first one that finds such a statement
 * due. Other threads do not wait for it. Thread-safe.
 */
public final class OwnedLanes {
    private final Map<Lane, LaneParts> lanes = new ConcurrentHashMap<>();
    private final Surveys surveys;
    private final Reports reports;

    /** @param source the connections to the database of the outbox; used when there are lanes */
    public OwnedLanes(Supplier<DataSource> source, Histories histories, Clock clock) {
        Supplier<LaneConnections> connections = () -> new LaneConnections(source.get(), histories);
        surveys = new Surveys(lanes, connections, clock);
        reports = new Reports(lanes, connections, clock);
    }

    /** Adds a lane that was claimed and surveyed. */
    void join(Lane lane, LaneParts parts) {
        lanes.put(lane, parts);
    }

    /** Removes a lane that is dropped. */
    void leave(Lane lane) {
        lanes.remove(lane);
    }

    /**
     * Surveys the side tables for all lanes if that is due: after a second, or after 200 ms while messages wait.
     *
     * @param messagesWait whether messages wait for a lane of the caller
     * @throws RuntimeException if the survey fails, also if it has failed before and another thread repeats it
     */
    public void surveyIfDue(boolean messagesWait) {
        surveys.surveyIfDue(messagesWait);
    }

    /**
     * Writes the reports of all lanes that have changed if that is due.
     *
     * @param horizon the time for which Postgres has not been able to remove old row versions: reports are written less often
     */
    public void reportIfDue(Duration horizon) {
        reports.reportIfDue(horizon);
    }
}
