package dev.caravan.camel.guard;

/** A body of several messages, some of which may have failed on their own. */
public interface PartialBody {
    /** The messages that have not failed; this object if none has. */
    PartialBody remaining();

    /** Whether it has no message. */
    boolean isEmpty();
}
