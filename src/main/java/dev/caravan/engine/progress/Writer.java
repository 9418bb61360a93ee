package dev.caravan.engine.progress;

/**
 * A transaction that holds the insert lock on the outbox. Postgres reuses virtual ids after a crash, so two writers are the same only
 * if their transaction ids are the same too. A prepared transaction is identified by its transaction id alone: its virtual id
 * changes with a restart, and in some versions earlier.
 *
 * @param virtualId as in {@code pg_locks.virtualtransaction}; empty for a prepared transaction
 * @param transactionId 64-bit id with epoch, of the whole transaction and not of a savepoint; 0 if it has not written anything yet
 */
public record Writer(String virtualId, long transactionId) {
    private static final long NONE = 0;

    /** The transaction of a session that has not written anything yet. */
    public static Writer running(String virtualId) {
        return new Writer(virtualId, NONE);
    }

    public static Writer prepared(long transactionId) {
        return new Writer("", transactionId);
    }

    public boolean isPrepared() {
        return virtualId.isEmpty();
    }

    boolean hasTransactionId() {
        return transactionId != NONE;
    }
}
