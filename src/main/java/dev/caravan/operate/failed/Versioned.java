package dev.caravan.operate.failed;

import java.time.Instant;

/** A message that a person can select. A change applies only while the message still has the selected version. */
public interface Versioned {
    String subscription();

    /** The id in the outbox. */
    long id();

    /** A time that changes when the message is tried, retried or given up. */
    Instant version();
}
