package dev.caravan.operate.explain;

import java.util.Locale;

/** Why a message is not delivered, or that it is. */
public enum Cause {
    DELIVERED,
    /** A rejected row of an intake became a message after a retry. */
    COPIED,
    DISCARDED,
    /** The subscription does not read its type. */
    NOT_SELECTED,
    DEAD,
    /** It failed and waits for its next attempt. */
    WAITS_FOR_RETRY,
    /** It waits behind an earlier message of its key or, in order {@code strict}, of the subscription. */
    BEHIND_MESSAGE,
    /** A dead letter blocks its key or, in order {@code strict}, the subscription. */
    BEHIND_DEAD_LETTER,
    PAUSED,
    HALTED,
    CHANGING_LANES,
    NO_RELAY,
    DESTINATION_UNAVAILABLE,
    /** The source of an intake cannot be read or marked. */
    INTAKE_FAILING,
    RATE_LIMITED,
    /** Its lane has not read it yet. */
    NOT_REACHED,
    /** It waits for a missing id before it. */
    BEHIND_MISSING_ID,
    /** It is read, and being delivered or next. */
    IN_FLIGHT,
    /** No message has this id yet; an open transaction may still write it. */
    MISSING,
    /** No message will have this id, or it is pruned. */
    GONE,
    NOT_ASSIGNED;

    /** {@code waits-for-retry}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
