package dev.caravan.delivery;

/** What became of one attempt. */
public enum Outcome {
    /** The destination has it. */
    DELIVERED,
    /** Not delivered by the fault of this message, perhaps: to be tried again later, and counted. */
    RETRY,
    /** Will never be delivered as it is: not to be tried again unless a person retries it. */
    DEAD,
    /** The destination is away, which is not the fault of the message: nothing is counted, all wait for the destination. */
    UNAVAILABLE
}
