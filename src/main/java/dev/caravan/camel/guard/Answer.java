package dev.caravan.camel.guard;

/**
 * The last answer from outside that an attempt, or a part of it, has received.
 *
 * @param from the uri of the endpoint that gave it; null before the first answer
 * @param own the last body that was not made of an answer
 * @param inBody whether the body has been made of an answer since then
 */
record Answer(String from, Object own, boolean inBody) {
    static final Answer NONE = new Answer(null, null, false);

    /** Whether a body is an answer, or was made of one. A body that the route has set back is not. */
    boolean isIn(Object body) {
        return inBody && (body == null || body != own);
    }

    /** An answer that has replaced a body. */
    Answer received(String from, Object before) {
        return new Answer(from, isIn(before) ? own : before, true);
    }

    /** An answer that did not replace the body, because the route has stored it elsewhere. */
    Answer receivedBeside(String from, Object body) {
        return new Answer(from, isIn(body) ? own : body, isIn(body));
    }

    /** This state of the body, with who gave the last answer. */
    Answer with(String from) {
        return from == null || from.equals(this.from) ? this : new Answer(from, own, inBody);
    }

    /** The state after a step has set the body: the body before the answer is own again. */
    Answer settled(Object body) {
        return inBody && !isIn(body) ? new Answer(from, body, false) : this;
    }
}
