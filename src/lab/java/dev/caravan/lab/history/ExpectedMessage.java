package dev.caravan.lab.history;

import java.util.UUID;

/** A message of a history, and what must become of it. */
final class ExpectedMessage {
    enum State {
        OPEN,
        COMMITTED,
        ROLLED_BACK
    }

    final long id;
    final UUID messageId;
    final int key;
    final boolean selected;
    final long writtenAtMicros;

    State state = State.OPEN;
    /** Whether it was committed after the subscription was created. */
    boolean afterCreation;
    /** How often it arrived. */
    int arrivals;
    /** The lane that knows that it was delivered; null if none does. */
    Object deliveredBy;
    /** Whether it has become dead, was given up, or its dead letter was retried: it has no place in the order any more. */
    boolean condemned;

    boolean discarded;
    /** Whether the replica has it, and whether it was discarded there. */
    boolean replicated;

    boolean discardedInReplica;
    /** Whether a person may have caused a repeat. */
    boolean touchedByPerson;

    ExpectedMessage(long id, UUID messageId, int key, boolean selected, long writtenAtMicros) {
        this.id = id;
        this.messageId = messageId;
        this.key = key;
        this.selected = selected;
        this.writtenAtMicros = writtenAtMicros;
    }

    @Override
    public String toString() {
        return "message " + id + " (key " + key + ")";
    }
}
