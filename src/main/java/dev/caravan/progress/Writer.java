package dev.caravan.progress;

/**
 * A transaction that holds the lock of an insert on the outbox. After a crash Postgres gives out virtual ids again, so two are
 * the same only if their transaction ids are, too. A prepared one is known by its transaction id alone: its virtual id is
 * another one after a restart, in some versions before.
 *
 * @param virtualId as in {@code pg_locks.virtualtransaction}; empty for a prepared one
 * @param transactionId with its epoch, of the whole transaction and not of a savepoint; 0 for one that has written nothing yet
 */
public record Writer(String virtualId, long transactionId) {
    private static final long NONE = 0;

    /** The transaction of a session that has written nothing yet. */
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
