package dev.caravan.adopt.doctor;

import java.time.Duration;
import java.util.Map;

/**
 * The limits above which the state of the server and its sessions is a finding.
 *
 * @param openTransaction age of a transaction that holds vacuum back
 * @param idleInTransaction time for which a session with a lock is idle in a transaction
 * @param heldTransactions age, in transactions, of the row versions that a slot or a standby keeps
 * @param walBytes WAL that a slot keeps
 * @param unfrozen age, in transactions, of the oldest transaction id that is not frozen, for a warning
 * @param unfrozenCritical the same as {@code unfrozen}, for a critical finding
 * @param pollMillis average time of a poll
 */
public record Limits(
        Duration openTransaction,
        Duration idleInTransaction,
        long heldTransactions,
        long walBytes,
        long unfrozen,
        long unfrozenCritical,
        double pollMillis) {
    public static final Limits DEFAULT = new Limits(
            Duration.ofMinutes(5), Duration.ofMinutes(1), 1_000_000, 1L << 30, 1_000_000_000, 1_600_000_000, 100);

    /** The values of the parameters in statements. */
    Map<String, Object> values() {
        return Map.of(
                "open_transaction_seconds", openTransaction.toSeconds(),
                "idle_seconds", idleInTransaction.toSeconds(),
                "held_transactions", heldTransactions,
                "wal_bytes", walBytes,
                "unfrozen", unfrozen,
                "unfrozen_critical", unfrozenCritical);
    }
}
