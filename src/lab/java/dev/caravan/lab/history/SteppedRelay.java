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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A relay of several subscriptions. After a stop or a kill it starts again with a new name and nothing in memory. */
final class SteppedRelay implements AutoCloseable {
    private final String name;
    private final HistoryDatabase database;
    private final HistoryClock clock;
    private final List<PlayedSubscription> subscriptions;
    private final SteppedConnections connections;
    private final List<PlayedAttempt> attempts = new ArrayList<>();
    private int starts;
    private final boolean sharesReads;
    private List<SteppedLane> lanes = List.of();
    /** Present if the lanes share reads and saves. */
    private Optional<SteppedTail> tail = Optional.empty();

    /** @param sharesReads whether its lanes share the reads and saves of the tail */
    SteppedRelay(
            String name,
            HistoryDatabase database,
            HistoryClock clock,
            List<PlayedSubscription> subscriptions,
            boolean sharesReads,
            SteppedConnections connections) {
        this.name = name;
        this.database = database;
        this.clock = clock;
        this.subscriptions = subscriptions;
        this.sharesReads = sharesReads;
        this.connections = connections;
        start();
    }

    private void start() {
        loops().forEach(SteppedLoop::close);
        starts++;
        RelayParts relay = RelayParts.of(
                connections,
                database.histories(),
                name(),
                HistoryOptions.LEASE,
                Presence.off(clock),
                new Horizon(Horizon.INTERVAL, clock),
                new WakeUp(null, clock),
                clock);
        tail = sharesReads ? Optional.of(new SteppedTail(name(), relay.tail())) : Optional.empty();
        lanes = subscriptions.stream().flatMap(each -> lanes(each, relay)).toList();
    }

    private Stream<SteppedLane> lanes(PlayedSubscription subscription, RelayParts relay) {
        int count = subscription.people().lanes();
        LaneSettings settings = subscription.options().settings(subscription.name(), count, name());
        SubscriptionParts shared = new SubscriptionParts(
                new LaneChoice(subscription.name(), count, relay.freeLanes(), clock),
                new LaneFailures("subscription " + subscription.name(), LaneFailures.FIRST_WAIT),
                Optional.empty());
        return IntStream.range(0, count)
                .mapToObj(number -> new SteppedLane(
                        subscription,
                        settings,
                        number,
                        new LaneConnections(connections, database.histories()),
                        relay,
                        shared));
    }

    /** Whether a person has changed the number of lanes of a subscription since the relay started. */
    boolean hasOtherLanes() {
        return lanes.size()
                != subscriptions.stream()
                        .mapToInt(each -> each.people().lanes())
                        .sum();
    }

    /** The lanes of all subscriptions, one after the other. */
    List<SteppedLane> lanes() {
        return lanes;
    }

    /** The loops of the lanes, and that of the tail if they share reads. */
    List<SteppedLoop> loops() {
        return Stream.concat(lanes.stream(), tail.stream()).toList();
    }

    /** Whether the statement that the current thread executes is one of the tail. */
    boolean isTail() {
        return tail.filter(each -> each.thread() == SteppedThread.current()).isPresent();
    }

    /** From now on each lane reads and saves for itself. */
    void stopTail() {
        tail.ifPresent(SteppedTail::stop);
    }

    private void killThreads() {
        loops().forEach(loop -> loop.thread().kill(database));
    }

    List<PlayedAttempt> attempts() {
        return attempts;
    }

    /** The name under which it owns lanes now. */
    String name() {
        return name + starts;
    }

    void kill() {
        killThreads();
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
        killThreads();
        loops().forEach(SteppedLoop::close);
    }
}
