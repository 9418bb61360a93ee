package dev.caravan.delivery;

/** Which messages of a subscription wait for each other. */
public enum Order {
    /** Messages of one key, in order of id; keys run side by side. */
    key,
    /** The whole subscription, in order of id; waits at a missing id and at a failure. */
    strict,
    /** None: a failure holds up nothing else. */
    none
}
