package dev.caravan.engine.loop;

import dev.caravan.base.message.Key;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.store.CommitUnknown;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.RefusedChanges;
import dev.caravan.engine.store.SequenceRestartedException;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.engine.store.SubscriptionStore.TransactionState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the progress and changes of an owned lane, even if the database refuses some changes or does not answer. Not thread-safe.
 */
final class LaneSaves {
    private static final Logger LOG = LoggerFactory.getLogger(LaneSaves.class);

    private record UnansweredSave(Save save, long number) {}

    private final Lane lane;
    private final LaneId id;
    private final SubscriptionStore store;
    private final LoopSettings settings;
    private final LaneCounters counters;
    private final Consumer<Change.Dead> deadLetters;

    /** A save whose outcome is unknown; null if there is none. */
    private UnansweredSave unanswered;

    /** @param deadLetters receives each dead letter after it is stored */
    LaneSaves(
            Lane lane,
            LaneId id,
            SubscriptionStore store,
            LoopSettings settings,
            LaneCounters counters,
            Consumer<Change.Dead> deadLetters) {
        this.lane = lane;
        this.id = id;
        this.store = store;
        this.settings = settings;
        this.counters = counters;
        this.deadLetters = deadLetters;
    }

    /**
     * Determines the outcome of a save that was not answered. Writing it twice could restore a dead letter that a person has
     * discarded meanwhile.
     *
     * @return false while its transaction is still open
     */
    boolean settle() {
        if (unanswered == null) {
            return true;
        }
        TransactionState state = store.stateOfSave(lane.epoch(), unanswered.number());
        if (state == TransactionState.IN_PROGRESS) {
            return false;
        }
        Save save = unanswered.save();
        unanswered = null;
        if (state == TransactionState.COMMITTED) {
            saved(save, List.of(), List.of());
        } else {
            lane.saveFailed(save);
        }
        return true;
    }

    /**
     * Saves. If this method throws, the lane is still owned, and the next save includes what was not saved.
     *
     * @return empty if the lane is lost and closed: another relay has taken it, or its position is ahead of the sequence
     */
    Optional<SubscriptionStore.Saved> save() {
        return write(lane.toSave());
    }

    private Optional<SubscriptionStore.Saved> write(Save save) {
        Optional<SubscriptionStore.Saved> saved;
        try {
            saved = timed(save);
        } catch (SequenceRestartedException e) {
            lane.saveFailed(save);
            halt(e);
            return Optional.empty();
        } catch (CommitUnknown e) {
            unanswered = new UnansweredSave(save, e.number());
            if (RefusedChanges.isFaultOfData(e) && setAside(save)) {
                return save();
            }
            throw e;
        } catch (RuntimeException | Error e) {
            // not only DataAccessException: a transaction that cannot begin throws another exception
            lane.saveFailed(save);
            throw e;
        }
        if (saved.isEmpty()) {
            LOG.warn(
                    "Subscription {} was taken over by another relay, or its row was restored (epoch {} has ended): this relay"
                            + " stops working it. Messages delivered since its last save may be delivered again",
                    id,
                    lane.epoch());
            counters.lostLease();
            lane.close();
            return saved;
        }
        saved(save, saved.get().freed(), saved.get().vanished());
        saved.get().vanished().forEach(this::rowDeleted);
        lane.sessionWritten(save.session());
        lane.renewed(saved.get().renewedAt() + settings.lease().toNanos());
        return saved;
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
        RefusedChanges.Found found = store.refused(lane.epoch(), save.first(Lane.REFUSED_PART));
        Map<Long, String> reasons = new LinkedHashMap<>();
        found.refused()
                .forEach(refused ->
                        reasons.put(refused.change().delivery().message().id(), refused.reason()));
        for (long message : lane.setAside(reasons.keySet(), found.examined())) {
            LOG.error(
                    "Could not store the result of message {} of subscription {}: the database refuses it ({}). The message"
                            + " counts as not delivered, and in order key the later messages of its key wait; other messages"
                            + " are not affected. This is retried every {} s until the cause is removed",
                    message,
                    id,
                    reasons.get(message),
                    settings.lane().refusedInterval().toSeconds());
        }
        return !reasons.isEmpty() || found.examined() < save.changes().size();
    }

    /** Closes the lane, because its state is no longer valid, and halts the subscription if the sequence does not continue after its row. */
    void halt(SequenceRestartedException restarted) {
        store.rows().halt(restarted.found());
        LOG.warn(
                "Subscription {} stops on this relay: {}. The outbox was restored or truncated",
                id,
                restarted.getMessage());
        lane.close();
        store.release(lane.epoch(), lane.leaveRate().map(RateShare.Use::unused));
    }

    private Optional<SubscriptionStore.Saved> timed(Save save) {
        long begun = settings.clock().nanos();
        Optional<SubscriptionStore.Saved> saved = store.save(lane.epoch(), save);
        counters.saved(settings.clock().nanos() - begun);
        return saved;
    }

    private void rowDeleted(Change change) {
        LOG.warn(
                "Could not store that message {} of subscription {} failed or is blocked: its row was deleted from the outbox."
                        + " The message counts as finished and is not delivered again",
                change.delivery().message().id(),
                id);
        counters.deleted();
    }

    private void saved(Save save, List<Key> freed, List<Change> vanished) {
        lane.saved(save, freed);
        for (Change change : save.changes()) {
            if (change instanceof Change.Dead dead && !vanished.contains(dead)) {
                deadLetters.accept(dead);
            }
        }
    }
}
