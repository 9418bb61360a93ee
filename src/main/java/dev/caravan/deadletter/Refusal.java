package dev.caravan.deadletter;

/** A change that the state of a subscription does not allow; the message says what, why and what to do. Nothing was changed. */
public final class Refusal extends RuntimeException {
    Refusal(String message) {
        super(message);
    }
}
