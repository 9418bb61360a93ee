package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Backoff;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * A relay whose loop is driven by hand: each statement and what is done with its result are steps of their own, so that
 * anything else may happen in between. The order of the steps is that of the consumer.
 */
final class SimulatedRelay {
    /** One attempt on its way: it may have arrived without the lane knowing. */
    record Attempt(Lane lane, Delivery delivery, long start) {}

    private final String name;
    private final SimulatedWorld world;
    private final Deque<Runnable> turn = new ArrayDeque<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private Lane lane;

    private long asked;
    private Read read;
    private Batch batch;
    private Writers writers;
    private SavedProgress toSave;
    private boolean saved;

    SimulatedRelay(String name, SimulatedWorld world) {
        this.name = name;
        this.world = world;
    }

    List<Attempt> attempts() {
        return attempts;
    }

    /** Whether it works the lane under this epoch. */
    boolean holds(long epoch) {
        return lane != null && lane.epoch() == epoch;
    }

    /** The next step of the loop. */
    void step() {
        if (turn.isEmpty()) {
            planTurn();
        }
        turn.remove().run();
    }

    private void planTurn() {
        if (lane == null) {
            turn.add(this::claim);
            return;
        }
        read = lane.nextRead();
        if (read != null) {
            turn.add(() -> batch = world.outbox.read(read));
            turn.add(() -> lane.received(batch));
        }
        turn.add(this::acknowledge);
    }

    private void claim() {
        asked = world.now();
        if (world.subscription.claim(name, asked)) {
            world.claims++;
            long epoch = world.subscription.epoch();
            SavedProgress progress = world.subscription.progress();
            turn.add(() -> lane = new Lane(
                    epoch,
                    asked + SimulatedWorld.LEASE.toNanos(),
                    progress,
                    world.options,
                    new Backoff(SimulatedWorld.RETRY, SimulatedWorld.RETRY, new Random(1)),
                    world::now));
        }
    }

    private void acknowledge() {
        if (lane.needsWriters()) {
            turn.add(() -> writers = world.outbox.writers());
            turn.add(() -> lane.observed(writers));
        }
        turn.add(() -> {
            if (lane.saveIsDue()) {
                planSave();
            }
        });
    }

    private void planSave() {
        toSave = lane.toSave();
        asked = world.now();
        turn.add(() -> {
            saved = world.save(lane.epoch(), toSave);
            if (!saved) {
                lose();
            }
        });
        turn.add(() -> lane.renewed(asked + SimulatedWorld.LEASE.toNanos()));
    }

    private void lose() {
        lane.close();
        lane = null;
        turn.clear();
    }

    /** One of its threads asks for the next message and starts it. */
    void start() {
        Delivery delivery = lane == null ? null : lane.nextNow();
        if (delivery != null) {
            assertThat(lane.epoch())
                    .as("only the relay that holds the lease starts a message")
                    .isEqualTo(world.subscription.epoch());
            attempts.add(new Attempt(lane, delivery, world.destination.starts()));
            world.started(delivery.message());
        }
    }

    /** The lane learns how an attempt ended. */
    void ended(Attempt attempt, Outcome outcome) {
        attempts.remove(attempt);
        if (outcome == Outcome.RETRY) {
            world.failures++;
        }
        attempt.lane().finished(attempt.delivery(), outcome);
    }

    /** Dies without a word. */
    void crash() {
        lane = null;
        turn.clear();
        attempts.clear();
    }

    /** Stops in good order if nothing is on its way, as a relay that is told to. */
    void stop() {
        if (lane != null && turn.isEmpty() && attempts.isEmpty()) {
            lane.suspend();
            if (world.save(lane.epoch(), lane.toSave())) {
                world.subscription.release(lane.epoch());
                world.releases++;
            }
            lose();
        }
    }
}
