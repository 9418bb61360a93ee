package dev.caravan.camel.guard;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * The last answer from outside that an attempt, or a part of it, has received.
 *
 * @param from the uri of the endpoint that gave it; null before the first answer
 * @param own the last bodies that were not made of an answer; those that the route has stored, and may set back, exist as long as this
 * @param inBody whether the body has been made of an answer since then
 * @param wasEmpty whether an answer without a body has been received for a message with a payload
 * @param isRemoved whether the route itself has removed the body since the last answer
 */
record Answer(String from, List<WeakReference<Object>> own, boolean inBody, boolean wasEmpty, boolean isRemoved) {
    static final Answer NONE = new Answer(null, List.of(), false, false, false);

    private static final int MOST_OWN = 10;

    /** Whether a body is an answer, or was made of one. A body that the route has set back is not. */
    boolean isIn(Object body) {
        return inBody && !isOwn(body);
    }

    private boolean isOwn(Object body) {
        for (WeakReference<Object> each : own) {
            if (body != null && each.refersTo(body)) {
                return true;
            }
        }
        return false;
    }

    /** The state before a step that may store or replace a body. */
    Answer before(Object body) {
        if (inBody) {
            return set(body, false);
        }
        return body == null || isOwn(body) ? this : new Answer(from, with(body), false, wasEmpty, false);
    }

    /** With the first one, which is the payload, and the last ones. */
    private List<WeakReference<Object>> with(Object body) {
        List<WeakReference<Object>> bodies = new ArrayList<>(own);
        if (bodies.size() == MOST_OWN) {
            bodies.remove(1);
        }
        bodies.add(new WeakReference<>(body));
        return bodies;
    }

    /** An answer that has replaced a body. */
    Answer received(String from, Object before) {
        return new Answer(from, before(before).own, true, wasEmpty, false);
    }

    /** This state of the body, with who gave the last answer. */
    Answer with(String from) {
        return from == null || from.equals(this.from) ? this : new Answer(from, own, inBody, wasEmpty, isRemoved);
    }

    /** This state, and whether an answer without a body has been received. */
    Answer empty(boolean isEmpty) {
        return isEmpty == wasEmpty ? this : new Answer(from, own, inBody, isEmpty, isRemoved);
    }

    /** Whether a missing body is an answer without one: the record of it would delete a key. */
    boolean isInsteadOfBody() {
        return wasEmpty && !isRemoved;
    }

    /** The state after a step that may have set the body: one from before the answer is own again, and one of a variable may be an answer. */
    Answer set(Object body, boolean readsValue) {
        boolean mayBeAnswer = readsValue && from != null && (body != null || wasEmpty);
        boolean isIn = (inBody || mayBeAnswer) && !isOwn(body);
        return isIn == inBody && !isRemoved ? this : new Answer(from, own, isIn, wasEmpty, false);
    }

    /** The state after a step that has removed the body. */
    Answer removed() {
        return inBody || wasEmpty ? new Answer(from, own, false, wasEmpty, true) : this;
    }
}
