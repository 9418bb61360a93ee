package dev.caravan.lab.history;

import java.util.UUID;

/** A message of a history, and its expected state. */
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
    /** Whether it was pruned before the subscription was created. */
    boolean prunedBefore;
    /** How many times it arrived. */
    int arrivals;
    /** The lane that has recorded its delivery; null if none has. */
    Object deliveredBy;
    /** Whether it was a dead letter at any time, also after a person gave it up. Its order is not checked any more. */
    boolean wasDead;

    boolean discarded;
    /** Whether it was committed when the replica was last copied, and whether it was discarded then. */
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
