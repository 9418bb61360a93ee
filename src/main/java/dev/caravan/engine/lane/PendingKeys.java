package dev.caravan.engine.lane;

import dev.caravan.base.message.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The keys whose state is not completely in the tables: messages of these keys from {@code outbox_retry} are in the schedule, or
 * their changes are not saved. Bounded by the window, however many keys wait in the table.
 */
final class PendingKeys {
    private static final class State {
        /** Number of messages from outbox_retry in the schedule. */
        private int taken;
        /** Ids of messages whose change is not saved. */
        private final TreeSet<Long> unsaved = new TreeSet<>();

        private boolean isComplete() {
            return taken == 0 && unsaved.isEmpty();
        }
    }

    private final Map<Key, State> states = new HashMap<>();

    boolean contains(Key key) {
        return states.containsKey(key);
    }

    boolean isEmpty() {
        return states.isEmpty();
    }

    private State state(Key key) {
        return states.computeIfAbsent(key, k -> new State());
    }

    /** Records that a message of outbox_retry was added to the schedule. */
    void taken(Key key) {
        state(key).taken++;
    }

    /** Records that a message of outbox_retry has finished. Its change must be recorded before. */
    void finished(Key key) {
        state(key).taken--;
    }

    /** Records that the change of a message is to be saved. */
    void changed(Key key, long id) {
        state(key).unsaved.add(id);
    }

    /** Records that the change of a message is saved, so that the tables are up to date. */
    void saved(Key key, long id) {
        State state = state(key);
        state.unsaved.remove(id);
        if (state.isComplete()) {
            states.remove(key);
        }
    }

    /** Whether the change of an earlier message of this key is not saved. That message may be about to wait in outbox_retry. */
    boolean hasEarlierUnsaved(Key key, long id) {
        State state = states.get(key);
        return state != null && !state.unsaved.isEmpty() && state.unsaved.first() < id;
    }
}
