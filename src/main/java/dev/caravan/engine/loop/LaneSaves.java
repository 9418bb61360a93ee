package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneCounters.Count;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Suspension;
import dev.caravan.engine.store.CommitUnknown;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.ProgressRow;
import dev.caravan.engine.store.RefusedChanges;
import dev.caravan.engine.store.SequenceRestartedException;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.engine.store.SubscriptionStore.Saved;
import dev.caravan.engine.store.SubscriptionStore.TransactionState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the progress and changes of the owned lane, even if the database refuses some changes or does not answer; the last save before
 * a lane is released too. Each save renews the lease, and a save that fails because the lease has ended drops the lane. Not thread-safe.
 */
final class LaneSaves {
    private static final Logger LOG = LoggerFactory.getLogger(LaneSaves.class);

    /** How long a lane that is to be released waits for its messages in flight. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private record UnansweredSave(Save save, long number) {}

    private final LaneSettings settings;
    private final LaneId id;
    private final SubscriptionStore store;
    private final LaneLease lease;
    private final LaneCounters counters;
    private final Clock clock;
    private final Horizon horizon;
    private final Consumer<Change.Dead> deadLetters;

    /** A save whose outcome is unknown; null if there is none. */
    private UnansweredSave unanswered;

    private boolean draining;
    /** When the subscription was found to be paused or halted, by {@link Clock#nanos()}; empty while it is not. */
    private OptionalLong stoppedSince = OptionalLong.empty();
    /** Whether the shared save did not find the row of the lane as expected, so that the lane has to save alone. */
    private boolean alone;

    /** @param deadLetters receives each dead letter after it is stored */
    LaneSaves(
            LaneSettings settings,
            SubscriptionStore store,
            LaneLease lease,
            LaneCounters counters,
            RelayParts relay,
            Consumer<Change.Dead> deadLetters) {
        this.settings = settings;
        id = store.lane();
        this.store = store;
        this.lease = lease;
        this.counters = counters;
        clock = relay.clock();
        horizon = relay.horizon();
        this.deadLetters = deadLetters;
    }

    /** Begins with a lane that was just claimed. */
    void begin() {
        unanswered = null;
        draining = false;
        stoppedSince = OptionalLong.empty();
        alone = false;
    }

    /** Whether the lane finishes its messages in flight to be released, because the number of lanes is being changed. */
    boolean isDraining() {
        return draining;
    }

    /** Whether the subscription was paused or halted, so that the lane finishes its messages in flight to be released. */
    boolean isStopped() {
        return stoppedSince.isPresent();
    }

    /** Whether the lane has finished its messages in flight, or has been given enough time for them. */
    boolean mayReleaseStopped() throws InterruptedException {
        return lease.lane().awaitAttempts(Duration.ZERO)
                || clock.nanos() - stoppedSince.getAsLong() >= LONGEST_WAIT.toNanos();
    }

    /** Whether a save is due that cannot be shared with other lanes. */
    boolean isDueAlone() {
        Lane lane = lease.lane();
        return lane.saveIsDue() && (alone || unanswered != null || !lane.changesOnlyProgress());
    }

    /** Saves if it is due. */
    void saveIfDue() {
        lease.lane().saveLessOften(horizon.age());
        if (settle() && lease.lane().saveIsDue()) {
            alone = false;
            save().ifPresent(this::follow);
        }
    }

    /** What this lane saves together with others; empty if nothing is due, or it has to save alone. */
    Optional<ProgressRow> sharedSave() {
        Lane lane = lease.lane();
        if (lane == null || alone || unanswered != null) {
            return Optional.empty();
        }
        lane.saveLessOften(horizon.age());
        return lane.saveIsDue() ? lane.progressToSave().map(save -> store.row(lane.epoch(), save)) : Optional.empty();
    }

    /**
     * Records the result of a save together with other lanes.
     *
     * @param saved empty if the row of this lane was not changed: the lane has to save alone
     */
    void savedTogether(Save save, Optional<Saved> saved) {
        if (saved.isPresent()) {
            store.saved(saved.get().number());
            answered(save, saved.get());
            follow(saved.get());
        } else {
            alone = true;
            lease.lane().saveFailed(save);
        }
    }

    /** Records that a save together with other lanes has failed: its outcome is unknown, and the next save repeats it. */
    void saveTogetherFailed(Save save) {
        lease.lane().saveFailed(save);
    }

    /** Follows what a save has found: a change of the number of lanes, a pause. */
    private void follow(Saved saved) {
        Lane lane = lease.lane();
        drainIf(lane.readTo(saved.readTo()));
        if (!saved.stopped()) {
            stoppedSince = OptionalLong.empty();
            lane.resume(Suspension.PAUSE); // resumed before the lane was released
        } else if (!isStopped()) {
            LOG.info("Subscription {} was paused or halted", id);
            stoppedSince = OptionalLong.of(clock.nanos());
            lane.suspend(Suspension.PAUSE);
        }
    }

    private void drainIf(boolean isReadToBarrier) {
        if (isReadToBarrier && !draining) {
            LOG.info(
                    "The number of lanes of subscription {} is being changed: this relay finishes the messages in"
                            + " flight",
                    id);
        }
        draining = isReadToBarrier;
    }

    /**
     * Determines the outcome of a save that was not answered. Writing it twice could restore a dead letter that a person has
     * discarded meanwhile.
     *
     * @return false while its transaction is still open
     */
    private boolean settle() {
        if (unanswered == null) {
            return true;
        }
        TransactionState state = store.stateOfSave(lease.lane().epoch(), unanswered.number());
        if (state == TransactionState.IN_PROGRESS) {
            return false;
        }
        Save save = unanswered.save();
        unanswered = null;
        if (state == TransactionState.COMMITTED) {
            saved(save, List.of(), List.of());
        } else {
            lease.lane().saveFailed(save);
        }
        return true;
    }

    /**
     * Saves. If this method throws, the lane is still owned, and the next save includes what was not saved.
     *
     * @return empty if the lane is lost and dropped: another relay has taken it, or its position is ahead of the sequence
     */
    Optional<Saved> save() {
        Save save = lease.lane().toSave();
        Optional<Saved> saved;
        try {
            saved = timed(save);
        } catch (SequenceRestartedException e) {
            lease.lane().saveFailed(save);
            lease.halt(e);
            return Optional.empty();
        } catch (CommitUnknown e) {
            unanswered = new UnansweredSave(save, e.number());
            if (RefusedChanges.isFaultOfData(e) && setAside(save)) {
                return save();
            }
            throw e;
        } catch (RuntimeException | Error e) {
            // not only DataAccessException: a transaction that cannot begin throws another exception
            lease.lane().saveFailed(save);
            throw e;
        }
        saved.ifPresentOrElse(answer -> answered(save, answer), lease::lost);
        return saved;
    }

    private Optional<Saved> timed(Save save) {
        long begun = clock.nanos();
        Optional<Saved> saved = store.save(lease.lane().epoch(), save);
        counters.saved(clock.nanos() - begun);
        return saved;
    }

    private void answered(Save save, Saved answer) {
        saved(save, answer.freed(), answer.vanished());
        answer.vanished().forEach(this::rowDeleted);
        lease.lane().sessionWritten(save.session());
        lease.lane().renewed(answer.renewedAt() + settings.lease().toNanos());
    }

    private void saved(Save save, List<Key> freed, List<Change> vanished) {
        lease.lane().saved(save, freed);
        for (Change change : save.changes()) {
            if (change instanceof Change.Dead dead && !vanished.contains(dead)) {
                deadLetters.accept(dead);
            }
        }
    }

    private void rowDeleted(Change change) {
        LOG.warn(
                "Could not store that message {} of subscription {} failed or is blocked: its row was deleted from the"
                        + " outbox. The message counts as finished and is not delivered again",
                change.delivery().message().id(),
                id);
        counters.add(Count.DELETED);
    }

    /**
     * Separates refused changes from the rest of a save, so that a bad row affects only itself. Examines only a part of the
     * changes, because examining thousands of bad rows would take longer than the lease.
     *
     * @return whether the next save differs from this one
     */
    private boolean setAside(Save save) {
        if (!settle()) {
            return false;
        }
        RefusedChanges.Found found = store.refused(lease.lane().epoch(), save.first(Lane.REFUSED_PART));
        for (long message : lease.lane().setAside(found.reasons().keySet(), found.examined())) {
            LOG.error(
                    "Could not store the result of message {} of subscription {}: the database refuses it ({}). The"
                            + " message counts as not delivered, and in order key the later messages of its key wait;"
                            + " other messages are not affected. This is retried every {} s until the cause is removed",
                    message,
                    id,
                    found.reasons().get(message),
                    settings.refusedInterval().toSeconds());
        }
        return !found.reasons().isEmpty() || found.examined() < save.changes().size();
    }

    /**
     * Saves and releases the lane, so that another relay can take over at once. If a message is still in flight, the lease is
     * not released but expires: until then no relay starts a later message of the same key. If this method throws, the lane is
     * still owned and suspended; call it again, or resume the lane. No effect if this relay does not own the lane. If the reason is a pause that has
     * ended, the lane is kept and continues.
     *
     * @param maxWait limit of the wait for messages in flight, and limit of the time for saving in parts
     */
    void release(Suspension reason, Duration maxWait) throws InterruptedException {
        Lane lane = lease.lane();
        if (lane == null) {
            return;
        }
        lane.suspend(reason);
        boolean finished = lane.awaitAttempts(maxWait);
        if (!settle()) {
            lease.drop(); // the outcome of the open transaction is unknown: the lease expires
            return;
        }
        Optional<Saved> saved = saveAll(lane, maxWait);
        if (saved.isPresent() && reason == Suspension.PAUSE && !saved.get().stopped()) {
            follow(saved.get());
        } else if (saved.isPresent()) {
            end(lane, finished);
        }
    }

    private void end(Lane lane, boolean finished) {
        if (finished) {
            // If the release is not answered, nothing starts until a save proves that the lease still holds.
            lane.renewed(clock.elapsed());
            lease.release();
        } else {
            LOG.warn("Subscription {} stopped with messages in flight: they may be delivered again", id);
            lease.drop();
        }
    }

    /**
     * Saves all changes, up to a time limit if the database refuses many of them. Messages whose change is not saved remain in the
     * gaps or in {@code outbox_retry} and are delivered again.
     *
     * @return the result of the last save; empty if the lane is lost
     */
    private Optional<Saved> saveAll(Lane lane, Duration maxWait) {
        long end = clock.nanos() + maxWait.toNanos();
        Optional<Saved> saved;
        do {
            saved = save();
        } while (saved.isPresent() && lane.isSavedInParts() && clock.nanos() - end < 0);
        if (saved.isPresent() && lane.isSavedInParts()) {
            LOG.warn(
                    "Subscription {} stopped before all changes that the database refuses were examined: messages that"
                            + " are not saved may be delivered again",
                    id);
        }
        return saved;
    }

    /** Calls {@link #release(Suspension, Duration)} with a limit of 5 s. */
    void release(Suspension reason) {
        try {
            release(reason, LONGEST_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
