package dev.caravan.lab.history;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.loop.LaneLoop;
import dev.caravan.engine.loop.RelayParts;
import dev.caravan.engine.loop.SubscriptionParts;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.store.LaneConnections;

/** One lane in one relay: the loop of the relay, run on a stepped thread, in place of {@code OutboxConsumer} and Camel. */
final class SteppedLane implements SteppedLoop {
    private final PlayedSubscription subscription;
    private final SteppedThread thread;
    private final LaneLoop loop;

    SteppedLane(
            PlayedSubscription subscription,
            LaneSettings settings,
            int number,
            LaneConnections connections,
            RelayParts relay,
            SubscriptionParts shared) {
        this.subscription = subscription;
        LaneCounters counters = new LaneCounters(relay.clock());
        loop = new LaneLoop(settings, number, connections, relay, shared, counters, dead -> {});
        loop.join();
        thread = new SteppedThread(settings.relay() + "-" + subscription.name() + "-" + number);
    }

    PlayedSubscription subscription() {
        return subscription;
    }

    int number() {
        return loop.id().number();
    }

    @Override
    public SteppedThread thread() {
        return thread;
    }

    /** The lane, or null while the relay does not own it. */
    Lane lane() {
        return loop.lane();
    }

    @Override
    public Object turn() throws Exception {
        loop.lock().lockInterruptibly(); // the tail holds it while it saves
        try {
            loop.turn(() -> SteppedLoop.read(loop), lane -> {});
        } catch (RuntimeException e) {
            loop.failed(e);
        } finally {
            loop.lock().unlock();
        }
        return null;
    }

    /** Stops like a relay after SIGTERM; messages in flight may still arrive. */
    Object stop() throws Exception {
        loop.suspend();
        loop.leave();
        loop.lock().lockInterruptibly(); // the tail holds it while it saves
        try {
            loop.stop();
        } finally {
            loop.lock().unlock();
        }
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
}
