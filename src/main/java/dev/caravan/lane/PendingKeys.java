package dev.caravan.lane;

import dev.caravan.delivery.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The keys that the tables do not tell everything about: messages of theirs from {@code outbox_retry} are in the schedule, or
 * changes of theirs are not saved. Bounded by the window, however many keys wait in the table.
 */
final class PendingKeys {
    private static final class State {
        /** Messages of outbox_retry that are in the schedule. */
        private int taken;
        /** Ids whose change is not saved yet. */
        private final TreeSet<Long> unsaved = new TreeSet<>();

        private boolean isOver() {
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

    /** A message of outbox_retry went into the schedule. */
    void taken(Key key) {
        state(key).taken++;
    }

    /** A message of outbox_retry left the schedule; its change was noted before. */
    void left(Key key) {
        state(key).taken--;
    }

    /** A change of a message is to be saved. */
    void changes(Key key, long id) {
        state(key).unsaved.add(id);
    }

    /** The change of a message is saved: from now on the tables tell. */
    void saved(Key key, long id) {
        State state = state(key);
        state.unsaved.remove(id);
        if (state.isOver()) {
            states.remove(key);
        }
    }

    /** Whether the change of an earlier message of this key is not saved: it may be about to wait in outbox_retry. */
    boolean hasEarlierUnsaved(Key key, long id) {
        State state = states.get(key);
        return state != null && !state.unsaved.isEmpty() && state.unsaved.first() < id;
    }
}
