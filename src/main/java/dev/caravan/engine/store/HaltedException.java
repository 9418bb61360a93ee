package dev.caravan.engine.store;

/** The subscription is halted. A person must decide from which id it continues. */
public final class HaltedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private HaltedException(String subscription, String reason) {
        super("it is halted: " + reason
                + ". The outbox was restored or truncated, and messages with ids at or below the"
                + " position would be skipped. Nothing is delivered until a person resumes it after an id:"
                + " ./caravan subscriptions resume " + subscription
                + " --after ID (or --where-it-stopped, if the sequence was only altered)");
    }

    /** @param reason why the subscription is halted; null if it is not */
    public static void throwIfHalted(String subscription, String reason) {
        if (reason != null) {
            throw new HaltedException(subscription, reason);
        }
    }
}
