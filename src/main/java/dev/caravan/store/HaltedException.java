package dev.caravan.store;

/** A relay has stopped the subscription, and a person has to say where it goes on. */
public final class HaltedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    HaltedException(String subscription, String reason) {
        super("it is halted: " + reason
                + ". The outbox was restored or truncated, and messages that get ids at or below the"
                + " position would be skipped. Nothing is delivered until a person says where it goes on:"
                + " ./caravan subscriptions resume " + subscription + " --after ID");
    }
}
