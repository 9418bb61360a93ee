package dev.caravan.outbox;

import dev.caravan.clock.Clock;
import dev.caravan.lane.LaneCounters;
import dev.caravan.loop.LaneChoice;
import dev.caravan.loop.LaneFailures;
import dev.caravan.loop.LaneHolder;
import dev.caravan.loop.LoopParts;
import dev.caravan.loop.LoopSettings;
import dev.caravan.loop.ReadPace;
import dev.caravan.store.LaneConnections;
import dev.caravan.store.LaneId;
import dev.caravan.store.LaneReader;
import org.springframework.jdbc.core.JdbcTemplate;

/** The objects that one lane of a subscription consists of. */
record LaneParts(
        OutboxEndpoint endpoint,
        LoopParts loop,
        LaneCounters counters,
        JdbcTemplate jdbc,
        DeadLetterRoute deadLetters) {

    static LaneParts of(OutboxEndpoint endpoint, LaneId id, LaneChoice choice, LaneFailures failures) {
        OutboxComponent component = endpoint.getComponent();
        LoopSettings settings = endpoint.loopSettings();
        LaneConnections connections = endpoint.connections();
        Clock clock = settings.clock();
        LaneCounters counters = new LaneCounters(clock);
        DeadLetterRoute deadLetters = new DeadLetterRoute(endpoint, counters);
        LaneHolder holder = new LaneHolder(settings, id, connections, component.horizon(), counters, deadLetters);
        LaneReader reader = new LaneReader(
                settings.types(),
                id,
                settings.lane().maxMessageBytes(),
                counters,
                holder::waiting,
                holder::requireSame,
                clock);
        ReadPace pace = new ReadPace(settings, component.wakeUp()::sleepNumber);
        LoopParts loop = new LoopParts(id, settings, holder, reader, choice, failures, pace, component.wakeUp());
        return new LaneParts(endpoint, loop, counters, new JdbcTemplate(connections), deadLetters);
    }
}
