package dev.caravan.engine.store;

/** It is unknown whether a save was committed: the connection failed before the database answered the commit. */
public final class CommitUnknown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long number;

    /** @param number the number of the save, for {@link SubscriptionStore#stateOfSave} */
    CommitUnknown(long number, Throwable cause) {
        super(cause);
        this.number = number;
    }

    public long number() {
        return number;
    }
}
