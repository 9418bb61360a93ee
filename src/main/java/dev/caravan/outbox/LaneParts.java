package dev.caravan.outbox;

import dev.caravan.clock.Clock;
import dev.caravan.lane.LaneStats;
import dev.caravan.loop.LaneChoice;
import dev.caravan.loop.LaneHolder;
import dev.caravan.loop.LaneTrouble;
import dev.caravan.loop.LoopSettings;
import dev.caravan.loop.ReadPace;
import dev.caravan.store.LaneConnections;
import dev.caravan.store.LaneId;
import dev.caravan.store.LaneReader;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What works one lane of a subscription, put together.
 *
 * @param choice which lanes this relay works, shared by the lanes of the subscription
 * @param trouble of the subscription, shared by its lanes
 */
record LaneParts(
        OutboxEndpoint endpoint,
        LaneId id,
        LoopSettings settings,
        LaneChoice choice,
        LaneTrouble trouble,
        LaneStats stats,
        JdbcTemplate jdbc,
        DeadLetterRoute deadLetters,
        LaneHolder holder,
        LaneReader reader,
        ReadPace pace) {

    static LaneParts of(OutboxEndpoint endpoint, LaneId id, LaneChoice choice, LaneTrouble trouble) {
        OutboxComponent component = endpoint.getComponent();
        LoopSettings settings = endpoint.loopSettings();
        LaneConnections connections = endpoint.connections();
        Clock clock = settings.clock();
        LaneStats stats = new LaneStats(clock);
        DeadLetterRoute deadLetters = new DeadLetterRoute(endpoint, stats);
        LaneHolder holder = new LaneHolder(settings, id, connections, component.horizon(), stats, deadLetters);
        LaneReader reader = new LaneReader(settings.types(), id, stats, holder::waiting, clock);
        return new LaneParts(
                endpoint,
                id,
                settings,
                choice,
                trouble,
                stats,
                new JdbcTemplate(connections),
                deadLetters,
                holder,
                reader,
                new ReadPace(settings, component.wakeUp()::nap));
    }
}
