package dev.caravan.engine.schedule;

/** The outcome of one attempt. */
public enum Outcome {
    /** The destination has accepted the message. */
    DELIVERED,
    /** The attempt failed, perhaps because of the message: it counts, and the message is retried later. */
    RETRY,
    /** The message cannot be delivered as it is: it becomes a dead letter, which only a person can retry. */
    DEAD,
    /** The destination is unavailable, which is not caused by the message: the attempt does not count, and all messages wait. */
    UNAVAILABLE
}
