package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.Writers;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Result;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A relay whose loop the test executes in steps: each statement and the handling of its result are separate steps, so that
 * anything else may happen in between. The order of the steps is that of the consumer. Surveys are steps of another thread.
 */
final class SimulatedRelay {
    /** One attempt in flight: it may have arrived without the lane knowing. */
    record Attempt(Lane lane, List<Delivery> batch, long start) {
        Delivery delivery() {
            return batch.get(0);
        }
    }

    private final String name;
    private final SimulatedWorld world;
    private final Deque<Runnable> turn = new ArrayDeque<>();
    private final Deque<Runnable> survey = new ArrayDeque<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private Lane lane;

    private long asked;
    private Read read;
    private Batch batch;
    private Writers writers;
    private RetrySurvey ownSurvey;
    private RetrySurvey sharedSurvey;
    private List<Delivery> due = List.of();
    private List<Delivery> found = List.of();
    private Set<Key> waiting;
    private List<Key> keys;
    private Save toSave;
    /** Whether the save that was not answered is committed; null when there is none. */
    private Boolean unanswered;

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

    /** The next step of the thread that surveys: it may end after the lane was lost or claimed again. */
    void surveyStep() {
        if (survey.isEmpty() && lane != null) {
            Lane surveyed = lane;
            long number = lane.surveyNumber();
            survey.add(() -> sharedSurvey = world.subscription.retries.survey(world.options, world.now()));
            survey.add(() -> surveyed.surveyed(sharedSurvey, number));
        } else if (!survey.isEmpty()) {
            survey.remove().run();
        }
    }

    /** All steps of a survey. */
    void survey() {
        do {
            surveyStep();
        } while (!survey.isEmpty());
    }

    private void planTurn() {
        if (lane == null) {
            turn.add(this::claim);
            return;
        }
        turn.add(this::takeDue);
        turn.add(this::takeFollowers);
        turn.add(this::read);
        turn.add(this::settleAndSave);
    }

    private void takeDue() {
        int limit = lane.dueLimit();
        if (limit > 0) {
            next(
                    () -> due = world.subscription.retries.due(lane.takenFromRetry(), limit, world.now()),
                    () -> lane.receivedDue(due));
        }
    }

    private void takeFollowers() {
        keys = lane.readyToFollow();
        if (!keys.isEmpty()) {
            next(
                    () -> found = world.subscription.retries.followers(keys, world.options, world.now()),
                    () -> lane.receivedFollowers(found));
        }
    }

    private void read() {
        read = lane.nextRead();
        if (read != null) {
            next(
                    () -> batch = world.outbox.read(read),
                    () -> waiting =
                            world.subscription.retries.waiting(lane.keysToLookUp(batch.messages()), world.options),
                    () -> lane.received(batch, waiting));
        }
    }

    /** These come before what is planned already. */
    private void next(Runnable... steps) {
        for (int i = steps.length - 1; i >= 0; i--) {
            turn.addFirst(steps[i]);
        }
    }

    private void claim() {
        asked = world.now();
        if (world.subscription.claim(name, asked)) {
            world.claims++;
            long epoch = world.subscription.epoch();
            LaneStart start = new LaneStart(
                    epoch,
                    asked + SimulatedWorld.LEASE.toNanos(),
                    world.subscription.progress(),
                    world.subscription.delivered(),
                    ProvenSession.NONE);
            turn.add(() -> lane = new Lane(
                    start,
                    world.options,
                    new LaneCounters(() -> 0),
                    world::now,
                    () -> ProvenSession.NONE,
                    RateShare.UNLIMITED));
            planOwnSurvey();
        }
    }

    private void settleAndSave() {
        if (lane.needsWriters()) {
            turn.add(() -> writers = world.outbox.writers());
            turn.add(() -> lane.observed(writers));
        }
        turn.add(() -> {
            settleUnansweredSave();
            if (lane.saveIsDue()) {
                planSave();
            }
            turn.add(() -> {
                if (lane.surveyIsDue()) {
                    planOwnSurvey();
                }
            });
            turn.add(() -> world.subscription.retries.walk(world.options, world.now()));
        });
    }

    private void planOwnSurvey() {
        turn.add(() -> ownSurvey = world.subscription.retries.survey(world.options, world.now()));
        turn.add(() -> lane.surveyed(ownSurvey));
    }

    private void planSave() {
        toSave = lane.toSave();
        asked = world.now();
        turn.add(this::save);
    }

    private void save() {
        switch (world.saveOutcome()) {
            case FAILS -> saveFailed(false);
            case REFUSED -> setAside();
            case FAILS_AFTER_COMMIT ->
                saveFailed(world.save(lane.epoch(), toSave).isPresent());
            case SUCCEEDS -> {
                Optional<List<Key>> freed = world.save(lane.epoch(), toSave);
                if (freed.isPresent()) {
                    next(
                            () -> lane.saved(toSave, freed.get()),
                            () -> lane.renewed(asked + SimulatedWorld.LEASE.toNanos()));
                } else {
                    lose();
                }
            }
        }
    }

    /** What was delivered is only removed, which is never refused. */
    private void setAside() {
        lane.saveFailed(toSave);
        List<Change> examined = toSave.first(1 + (int) (asked % 3)).changes();
        lane.setAside(
                examined.stream()
                        .filter(change -> !(change instanceof Change.Remove))
                        .limit(1)
                        .map(change -> change.delivery().message().id())
                        .collect(Collectors.toSet()),
                examined.size());
        turn.clear();
        planSave();
    }

    private void saveFailed(boolean committed) {
        unanswered = committed;
        turn.clear();
    }

    private void settleUnansweredSave() {
        if (unanswered != null && unanswered) {
            lane.saved(toSave, List.of());
        } else if (unanswered != null) {
            lane.saveFailed(toSave);
        }
        unanswered = null;
    }

    private void lose() {
        lane.close();
        lane = null;
        unanswered = null;
        turn.clear();
    }

    /** One of its threads takes the next message or batch and starts it. */
    void start() {
        List<Delivery> batch = lane == null ? List.of() : lane.attemptNow();
        if (!batch.isEmpty()) {
            assertThat(lane.epoch())
                    .as("only the relay that holds the lease starts a message")
                    .isEqualTo(world.subscription.epoch());
            attempts.add(new Attempt(lane, batch, world.destination.starts()));
            world.started(batch);
        }
    }

    /** Reports to the lane how an attempt ended: all messages of a batch arrived, or none. */
    void ended(Attempt attempt, Result result) {
        if (attempt.batch().size() > 1 && result != Result.DELIVERED) {
            attempts.remove(attempt);
            attempt.lane().failedTogether(attempt.batch(), result);
        } else {
            ended(attempt, Collections.nCopies(attempt.batch().size(), result));
        }
    }

    /** Reports to the lane how each message of an attempt ended. */
    void ended(Attempt attempt, List<Result> results) {
        attempts.remove(attempt);
        if (attempt.lane().isClosed()) {
            return;
        }
        if (world.inBatches()) {
            attempt.lane().finished(attempt.batch(), results);
        } else {
            attempt.lane().finished(attempt.delivery(), results.get(0));
        }
        for (int i = 0; i < results.size(); i++) {
            world.ended(attempt.batch().get(i), results.get(i));
        }
    }

    /** Whether it has taken a message from outbox_retry, or is about to. */
    boolean hasTaken(long id) {
        return lane != null
                && (LongStream.of(lane.takenFromRetry()).anyMatch(taken -> taken == id)
                        || due.stream().anyMatch(one -> one.message().id() == id)
                        || found.stream().anyMatch(one -> one.message().id() == id));
    }

    /** Whether the lane takes messages to be in the side tables. */
    boolean messagesWait() {
        return lane != null && lane.messagesWait();
    }

    /** Ends without saving or releasing anything. */
    void crash() {
        lane = null;
        unanswered = null;
        turn.clear();
        survey.clear();
        attempts.clear();
    }

    /** Stops cleanly if nothing is in flight, as a relay does on SIGTERM. */
    void stop() {
        if (lane != null && turn.isEmpty() && attempts.isEmpty()) {
            lane.suspend(Suspension.STOP);
            settleUnansweredSave();
            boolean saved;
            do {
                saved = world.save(lane.epoch(), lane.toSave()).isPresent();
            } while (saved && lane.isSavedInParts());
            if (saved) {
                world.subscription.release(lane.epoch());
                world.releases++;
            }
            lose();
        }
    }
}
