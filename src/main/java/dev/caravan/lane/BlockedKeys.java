package dev.caravan.lane;

import dev.caravan.delivery.Key;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys that have messages in {@code outbox_retry}: later messages of theirs must queue up there too. A key leaves when
 * nothing of it is left there. Others may change the table at the same time (a person retries, discards, replays), so a
 * survey of the table corrects what is remembered here, except for keys with something under way.
 */
final class BlockedKeys {
    private static final class State {
        /** Messages of outbox_retry that are in the schedule. */
        private int taken;
        /** Changes that are not saved yet. */
        private int unsaved;
        /** One message of the key has a time to be tried at: the others wait for it. */
        private boolean hasHead;
        /** Whether there is one with a time, which a person put there, only the next survey tells. */
        private boolean unsure;
        /** A dead letter holds the key back. */
        private boolean held;

        private boolean isQuiet() {
            return taken == 0 && unsaved == 0;
        }

        /** A dead letter that is gone may have been retried, and be one with a time now. */
        private void holdIf(boolean dead) {
            unsure |= held && !dead && !isQuiet();
            held = dead;
        }

        private boolean mayFollow() {
            return isQuiet() && !hasHead && !unsure && !held;
        }
    }

    private final boolean deadLettersBlock;
    private final Map<Key, State> states = new HashMap<>();

    /** @param deadLettersBlock whether a dead letter holds its key back */
    BlockedKeys(boolean deadLettersBlock) {
        this.deadLettersBlock = deadLettersBlock;
    }

    boolean contains(Key key) {
        return states.containsKey(key);
    }

    boolean isEmpty() {
        return states.isEmpty();
    }

    int count() {
        return states.size();
    }

    private State state(Key key) {
        return states.computeIfAbsent(key, k -> new State());
    }

    /** A change of a message of this key is to be saved. */
    void changes(Key key) {
        state(key).unsaved++;
    }

    /** The change is saved; it may have left a message with a time to be tried at, or a dead letter. */
    void saved(Change change) {
        State state = state(change.delivery().message().key());
        state.unsaved--;
        state.hasHead |= change instanceof Change.Retry;
        state.held |= deadLettersBlock && change instanceof Change.Dead;
    }

    /** A message of outbox_retry whose time has come went into the schedule. */
    void dueTaken(Key key) {
        State state = state(key);
        state.taken++;
        state.hasHead = false;
        state.unsure = true;
    }

    /** A message of outbox_retry that waited behind another one went into the schedule. */
    void followerTaken(Key key) {
        state(key).taken++;
    }

    /** Whether messages wait for the next survey to follow. */
    boolean waitForSurvey() {
        return states.values().stream().anyMatch(state -> state.unsure && state.isQuiet());
    }

    /** A message of outbox_retry left the schedule. */
    void left(Key key) {
        state(key).taken--;
    }

    /** Keys whose messages may follow now: whatever they waited for is over. */
    List<Key> readyToFollow(int limit) {
        List<Key> ready = new ArrayList<>();
        for (Map.Entry<Key, State> entry : states.entrySet()) {
            State state = entry.getValue();
            if (ready.size() < limit && state.mayFollow()) {
                ready.add(entry.getKey());
            }
        }
        return ready;
    }

    /** Whether whatever the messages of this key waited for is over at this moment. */
    boolean mayFollow(Key key) {
        return states.containsKey(key) && states.get(key).mayFollow();
    }

    /** Nothing of this key was left in outbox_retry; something may be on its way there by now. */
    void nothingLeft(Key key) {
        states.computeIfPresent(key, (k, state) -> state.mayFollow() ? null : state);
    }

    void surveyed(RetrySurvey survey) {
        survey.waiting().forEach((key, hasHead) -> {
            State state = state(key);
            if (state.isQuiet()) {
                state.hasHead = hasHead;
                state.unsure = false;
            }
        });
        states.forEach((key, state) -> state.holdIf(survey.dead().contains(key)));
        survey.dead().forEach(key -> state(key).held = true);
        states.entrySet().removeIf(entry -> {
            State state = entry.getValue();
            return state.isQuiet() && !state.held && !survey.waiting().containsKey(entry.getKey());
        });
    }
}
