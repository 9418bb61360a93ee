package dev.caravan.component;

/** A save failed, and may have been committed all the same: the connection ended before the answer came. */
final class UnansweredSaveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String transaction;

    /** @param transaction the id (xid8) by which the database tells what became of it */
    UnansweredSaveException(String transaction, RuntimeException cause) {
        super(cause);
        this.transaction = transaction;
    }

    String transaction() {
        return transaction;
    }
}
