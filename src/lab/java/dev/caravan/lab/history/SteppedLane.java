package dev.caravan.lab.history;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.Suspension;
import dev.caravan.engine.loop.LaneChoice;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.engine.loop.LaneHolder;
import dev.caravan.engine.loop.LaneLoop;
import dev.caravan.engine.loop.LoopParts;
import dev.caravan.engine.loop.LoopSettings;
import dev.caravan.engine.loop.ReadPace;
import dev.caravan.engine.loop.RouteSuspension;
import dev.caravan.engine.loop.WakeUp;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.LaneReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** One lane in one relay: the loop of the relay, run on a stepped thread, in place of {@code OutboxConsumer} and Camel. */
final class SteppedLane implements AutoCloseable {
    private final SteppedThread thread;
    private final LaneHolder holder;
    private final LaneReader reader;
    private final LaneLoop loop;
    private final LaneFailures failures;
    private final RouteSuspension suspension;
    private final LaneConnections connections;
    private final LaneId id;

    SteppedLane(
            LaneId id,
            LoopSettings settings,
            LaneConnections connections,
            Horizon horizon,
            LaneChoice choice,
            WakeUp wakeUp) {
        this.id = id;
        LaneCounters counters = new LaneCounters(settings.clock());
        this.connections = connections;
        holder = new LaneHolder(settings, id, connections, horizon, counters, dead -> {});
        reader = new LaneReader(
                settings.types(),
                id,
                settings.lane().maxMessageBytes(),
                counters,
                holder::waiting,
                holder::requireSame,
                settings.clock());
        failures = new LaneFailures(settings.subscription(), LaneFailures.FIRST_WAIT);
        suspension = new RouteSuspension(holder);
        ReadPace pace = new ReadPace(settings, () -> WakeUp.AWAKE);
        loop = new LaneLoop(
                new LoopParts(id, settings, holder, reader, choice, failures, pace, wakeUp), suspension, lane -> {});
        thread = new SteppedThread(settings.relay() + "-" + id.number());
    }

    int number() {
        return id.number();
    }

    SteppedThread thread() {
        return thread;
    }

    /** The lane, or null while the relay does not own it. */
    Lane lane() {
        return holder.lane();
    }

    /** One turn of the loop. */
    Object turn() throws Exception {
        try {
            loop.turn(this::read);
        } catch (RuntimeException e) {
            loop.failed(e);
        }
        return null;
    }

    private Object read() throws SQLException {
        try (Connection connection = connections.getConnection();
                var read = reader.statement().prepared(connection);
                var rows = read.executeQuery()) {
            reader.received(BatchRows.of(rows));
        }
        holder.settleAndSave();
        return null;
    }

    /** Stops like a relay after SIGTERM; messages in flight may still arrive. */
    Object stop() throws Exception {
        suspension.begin();
        try {
            holder.release(Suspension.STOP, Duration.ZERO);
        } catch (RuntimeException e) {
            failures.failed(id.number(), e);
            holder.drop();
        }
        return null;
    }

    /** The next message that may start; null for none. */
    Delivery next() {
        Lane lane = holder.lane();
        return lane == null ? null : lane.nextNow();
    }

    /** Wakes the thread if it waits for time to pass. */
    void timePassed() {
        Lane lane = holder.lane();
        if (lane != null) {
            synchronized (lane) {
                lane.notifyAll();
            }
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}
