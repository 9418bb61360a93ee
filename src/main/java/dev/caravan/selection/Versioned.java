package dev.caravan.selection;

import java.time.Instant;

/** A message that a person has seen and may select: it is changed only while it is still as it was seen. */
public interface Versioned {
    String subscription();

    /** Its id in the outbox. */
    long id();

    /** A time that is another one once the message was tried again, retried or given up. */
    Instant version();
}
