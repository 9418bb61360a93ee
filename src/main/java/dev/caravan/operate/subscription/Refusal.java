package dev.caravan.operate.subscription;

/** The state of a subscription does not allow a change. The message says why and what to do. Nothing was changed. */
public final class Refusal extends RuntimeException {
    public Refusal(String message) {
        super(message);
    }
}
