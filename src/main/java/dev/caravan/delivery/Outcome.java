package dev.caravan.delivery;

/** What became of one attempt. */
public enum Outcome {
    /** The destination has it. */
    DELIVERED,
    /** Not delivered; to be tried again. */
    RETRY
}
