package dev.caravan.store;

/** A save failed, and may have been committed all the same: the connection ended before the answer came. */
public final class CommitUnknown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long number;

    /** @param number by which the database tells what became of it */
    CommitUnknown(long number, Throwable cause) {
        super(cause);
        this.number = number;
    }

    public long number() {
        return number;
    }
}
