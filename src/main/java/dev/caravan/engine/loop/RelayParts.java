package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * What all lanes of this relay share.
 *
 * @param presence whether this relay and others are running
 * @param freeLanes the lanes that this relay may claim
 * @param tail the reads and saves that the lanes share
 */
public record RelayParts(
        Clock clock, Presence presence, Horizon horizon, WakeUp wakeUp, FreeLanes freeLanes, TailLoop tail) {
    /**
     * @param source connections to the outbox
     * @param histories the histories of its connections
     * @param relay the name of this relay
     * @param lease the duration of its leases
     */
    public static RelayParts of(
            DataSource source,
            Histories histories,
            String relay,
            Duration lease,
            Presence presence,
            Horizon horizon,
            WakeUp wakeUp,
            Clock clock) {
        FreeLanes freeLanes = new FreeLanes(new LaneConnections(source, histories), presence, relay, lease, clock);
        TailLoop tail = new TailLoop(source, histories, lease, horizon, wakeUp, freeLanes, clock);
        return new RelayParts(clock, presence, horizon, wakeUp, freeLanes, tail);
    }
}
