package dev.caravan.component;

/** A save failed, and may have been committed all the same: the connection ended before the answer came. */
final class UnansweredSaveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long number;

    /** @param number by which the database tells what became of it */
    UnansweredSaveException(long number, Throwable cause) {
        super(cause);
        this.number = number;
    }

    long number() {
        return number;
    }
}
