package dev.caravan.store;

/** A save failed but may have been committed: the database connection failed before the answer arrived. */
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
