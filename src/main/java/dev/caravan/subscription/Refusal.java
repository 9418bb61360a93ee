package dev.caravan.subscription;

/** A change that the state of a subscription does not allow; the message says what, why and what to do. Nothing was changed. */
public final class Refusal extends RuntimeException {
    public Refusal(String message) {
        super(message);
    }
}
