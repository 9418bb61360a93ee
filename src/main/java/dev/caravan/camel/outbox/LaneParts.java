package dev.caravan.camel.outbox;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.loop.LaneChoice;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.engine.loop.LaneHolder;
import dev.caravan.engine.loop.LoopParts;
import dev.caravan.engine.loop.LoopSettings;
import dev.caravan.engine.loop.ReadPace;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.LaneReader;

/** The objects that one lane of a subscription consists of. */
record LaneParts(
        OutboxEndpoint endpoint, LoopParts loop, LaneCounters counters, SqlPoll poll, DeadLetterRoute deadLetters) {

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
        return new LaneParts(endpoint, loop, counters, new SqlPoll(reader, holder), deadLetters);
    }
}
