package dev.caravan.camel.step;

/** Limits of an attempt that a destination cannot exceed. Any thread may call its methods. */
public interface AnswerLimits {
    /** The time in milliseconds after which an attempt ends that has no own, longer limit. */
    long getAttemptTimeout();

    /** The length of an answer in bytes, uncompressed, beyond which it is not read. */
    int getMaxAnswerBytes();
}
