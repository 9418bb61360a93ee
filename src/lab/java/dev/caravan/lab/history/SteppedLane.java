package dev.caravan.lab.history;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.loop.LaneLoop;
import dev.caravan.engine.loop.RelayParts;
import dev.caravan.engine.loop.SubscriptionParts;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.LaneConnections;
import java.sql.Connection;
import org.springframework.jdbc.core.JdbcTemplate;

/** One lane in one relay: the loop of the relay, run on a stepped thread, in place of {@code OutboxConsumer} and Camel. */
final class SteppedLane implements AutoCloseable {
    private final PlayedSubscription subscription;
    private final SteppedThread thread;
    private final LaneLoop loop;
    private final JdbcTemplate jdbc;

    SteppedLane(
            PlayedSubscription subscription,
            LaneSettings settings,
            int number,
            LaneConnections connections,
            RelayParts relay,
            SubscriptionParts shared) {
        this.subscription = subscription;
        jdbc = new JdbcTemplate(connections); // throws what camel-sql does
        LaneCounters counters = new LaneCounters(relay.clock());
        loop = new LaneLoop(settings, number, connections, relay, shared, counters, dead -> {});
        thread = new SteppedThread(settings.relay() + "-" + subscription.name() + "-" + number);
    }

    PlayedSubscription subscription() {
        return subscription;
    }

    int number() {
        return loop.id().number();
    }

    SteppedThread thread() {
        return thread;
    }

    /** The lane, or null while the relay does not own it. */
    Lane lane() {
        return loop.lane();
    }

    /** One turn of the loop. */
    Object turn() throws Exception {
        try {
            loop.turn(this::read, lane -> {});
        } catch (RuntimeException e) {
            loop.failed(e);
        }
        return null;
    }

    private Object read() {
        loop.reader().received(jdbc.execute((Connection connection) -> {
            try (var read = loop.reader().statement().prepared(connection);
                    var rows = read.executeQuery()) {
                return BatchRows.of(rows);
            }
        }));
        loop.settleAndSave();
        return null;
    }

    /** Stops like a relay after SIGTERM; messages in flight may still arrive. */
    Object stop() throws Exception {
        loop.suspend();
        loop.stop();
        return null;
    }

    /** The next message that may start; null for none. */
    Delivery next() {
        Lane lane = loop.lane();
        return lane == null ? null : lane.nextNow();
    }

    /** Wakes the thread if it waits for time to pass. */
    void timePassed() {
        Lane lane = loop.lane();
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
