package dev.caravan.lane;

import java.util.Set;

/**
 * The transactions that hold the lock of an insert on the outbox at one moment, by virtual transaction id as in
 * {@code pg_locks.virtualtransaction}. A prepared transaction has lost the virtual id under which it wrote and is listed
 * under another one.
 *
 * @param running transactions of live sessions
 * @param prepared transactions after {@code PREPARE TRANSACTION}
 */
public record Writers(Set<String> running, Set<String> prepared) {}
