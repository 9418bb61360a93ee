package dev.caravan.progress;

import java.util.Map;
import java.util.Set;

/**
 * The transactions that hold the lock of an insert on the outbox at one moment, by virtual transaction id as in
 * {@code pg_locks.virtualtransaction}. A prepared transaction has lost the virtual id under which it wrote and is listed
 * under another one.
 *
 * @param running transactions of live sessions
 * @param prepared transactions after {@code PREPARE TRANSACTION}
 * @param idleSince for those of the running ones that are known to execute nothing at this moment, since when; in any form that
 *     is another one after each statement
 * @param lastId the last id that was drawn, at the same look
 * @param transactionIds of those that have one: the id of the whole transaction, not of a savepoint, with its epoch. One that has
 *     none has written nothing yet
 */
public record Writers(
        Set<String> running,
        Set<String> prepared,
        Map<String, String> idleSince,
        long lastId,
        Map<String, Long> transactionIds) {
    /** Of none of them is known more. */
    public Writers(Set<String> running, Set<String> prepared) {
        this(running, prepared, Map.of(), Long.MAX_VALUE, Map.of());
    }
}
