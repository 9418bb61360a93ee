package dev.caravan.lab.history;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.loop.LaneChoice;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.engine.loop.Presence;
import dev.caravan.engine.loop.RelayParts;
import dev.caravan.engine.loop.SubscriptionParts;
import dev.caravan.engine.loop.WakeUp;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.lab.history.plan.HistoryClock;
import dev.caravan.lab.history.plan.HistoryOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/** A relay. After a stop or a kill it starts again with a new name and nothing in memory. */
final class SteppedRelay implements AutoCloseable {
    static final String SUBSCRIPTION = "orders";

    private final String name;
    private final HistoryDatabase database;
    private final HistoryClock clock;
    private final HistoryOptions options;
    private final IntSupplier lanesInRoute;
    private final SteppedConnections connections;
    private final List<PlayedAttempt> attempts = new ArrayList<>();
    private int starts;
    private List<SteppedLane> lanes = List.of();

    /** @param lanesInRoute the number of lanes in the route when the relay starts */
    SteppedRelay(
            String name,
            HistoryDatabase database,
            HistoryClock clock,
            HistoryOptions options,
            IntSupplier lanesInRoute,
            SteppedConnections connections) {
        this.name = name;
        this.database = database;
        this.clock = clock;
        this.options = options;
        this.lanesInRoute = lanesInRoute;
        this.connections = connections;
        start();
    }

    private void start() {
        lanes.forEach(SteppedLane::close);
        int count = lanesInRoute.getAsInt();
        LaneSettings settings = options.settings(SUBSCRIPTION, count, name + ++starts);
        RelayParts relay = RelayParts.of(
                connections,
                database.histories(),
                settings.relay(),
                settings.lease(),
                Presence.off(clock),
                new Horizon(Horizon.INTERVAL, clock),
                new WakeUp(null, clock),
                clock);
        SubscriptionParts shared = new SubscriptionParts(
                new LaneChoice(SUBSCRIPTION, count, relay.freeLanes(), clock),
                new LaneFailures("subscription " + SUBSCRIPTION, LaneFailures.FIRST_WAIT),
                Optional.empty());
        lanes = IntStream.range(0, count)
                .mapToObj(number -> new SteppedLane(
                        settings, number, new LaneConnections(connections, database.histories()), relay, shared))
                .toList();
    }

    List<SteppedLane> lanes() {
        return lanes;
    }

    List<PlayedAttempt> attempts() {
        return attempts;
    }

    /** The name under which it owns lanes now. */
    String name() {
        return name + starts;
    }

    void kill() {
        lanes.forEach(lane -> lane.thread().kill(database));
        lanes.stream().map(SteppedLane::lane).filter(lane -> lane != null).forEach(Lane::close);
        attempts.clear();
        start();
    }

    /** Starts again after all lanes have stopped. */
    void stopped() {
        attempts.clear();
        start();
    }

    @Override
    public void close() {
        lanes.forEach(lane -> lane.thread().kill(database));
        lanes.forEach(SteppedLane::close);
    }
}
