package dev.caravan.loop;

import dev.caravan.delivery.Key;
import dev.caravan.lane.Change;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneCounters;
import dev.caravan.lane.Save;
import dev.caravan.store.CommitUnknown;
import dev.caravan.store.LaneId;
import dev.caravan.store.PositionAheadException;
import dev.caravan.store.RefusedChanges;
import dev.caravan.store.SubscriptionStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves what a lane has to save, also when the database refuses some of it or does not answer. Used by one thread at a time, as
 * long as this relay holds the lane.
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

    /** A save that may have been committed or not; null when there is none. */
    private UnansweredSave unanswered;

    /** @param deadLetters is told of each dead letter after it was stored */
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
     * Finds out what became of a save that was not answered: written twice, it could bring back a dead letter that a person
     * has discarded meanwhile.
     *
     * @return false while its transaction is still open
     */
    boolean settle() {
        if (unanswered == null) {
            return true;
        }
        SubscriptionStore.Outcome outcome = store.outcome(lane.epoch(), unanswered.number());
        if (outcome == SubscriptionStore.Outcome.IN_PROGRESS) {
            return false;
        }
        Save save = unanswered.save();
        unanswered = null;
        if (outcome == SubscriptionStore.Outcome.COMMITTED) {
            saved(save, List.of(), List.of());
        } else {
            lane.saveFailed(save);
        }
        return true;
    }

    /**
     * Saves what the lane has to save now. When this throws, the lane is still held and knows what is not saved.
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
        } catch (PositionAheadException e) {
            lane.saveFailed(save);
            stopAhead(e);
            return Optional.empty();
        } catch (CommitUnknown e) {
            unanswered = new UnansweredSave(save, e.number());
            if (RefusedChanges.isFaultOfData(e) && setAside(save)) {
                return save();
            }
            throw e;
        } catch (RuntimeException | Error e) { // a transaction that cannot begin is no DataAccessException
            lane.saveFailed(save);
            throw e;
        }
        if (saved.isEmpty()) {
            LOG.warn(
                    "Subscription {} was taken over by another relay, or its row was set back (epoch {} is over): this relay"
                            + " stops working it. What was delivered since its last save may be delivered again",
                    id,
                    lane.epoch());
            counters.lostLease();
            lane.close();
            return saved;
        }
        saved(save, saved.get().freed(), saved.get().vanished());
        saved.get().vanished().forEach(this::vanished);
        lane.renewed(saved.get().renewedAt() + settings.lease().toNanos());
        return saved;
    }

    /**
     * Keeps what the database refuses apart from the rest of a save, so that one bad row stops nothing but itself. Looks only at a
     * part of the changes: with thousands of bad rows the lease would end meanwhile.
     *
     * @return whether the next save is another one
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
                    "Could not store what became of message {} of subscription {}: the database refuses it ({}). The message"
                            + " counts as not delivered, and in order key the later messages of its key wait; all others go on."
                            + " Storing it is tried again every {} s: remove what refuses it",
                    message,
                    id,
                    reasons.get(message),
                    settings.lane().refusedInterval().toSeconds());
        }
        return !reasons.isEmpty() || found.examined() < save.changes().size();
    }

    /** What the lane knows is not true any more. If the same holds for the row, nobody may go on from there either. */
    private void stopAhead(PositionAheadException ahead) {
        store.halt(ahead.lastId());
        LOG.warn("Subscription {} stops here: {}. The outbox was restored or truncated", id, ahead.getMessage());
        lane.close();
        store.release(lane.epoch());
    }

    private Optional<SubscriptionStore.Saved> timed(Save save) {
        long begun = settings.clock().nanos();
        Optional<SubscriptionStore.Saved> saved = store.save(lane.epoch(), save);
        counters.saved(settings.clock().nanos() - begun);
        return saved;
    }

    private void vanished(Change change) {
        LOG.warn(
                "Could not store that message {} of subscription {} failed or has to wait: its row is not in the outbox any"
                        + " more, somebody has deleted it. The message counts as finished and is not delivered again",
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
