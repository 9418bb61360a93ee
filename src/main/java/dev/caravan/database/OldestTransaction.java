package dev.caravan.database;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The oldest transaction that prevents Postgres from removing old row versions, as far as the role can see it.
 *
 * @param holder the session or prepared transaction
 * @param age time since it began
 */
public record OldestTransaction(
        @Column("name") String holder, @Column("seconds") Duration age) {
    /** Finds the oldest transaction; empty when none is older than the given age. */
    public static Optional<OldestTransaction> olderThan(Duration age, DataSource database) throws SQLException {
        return Sql.file("database/oldest_transaction")
                .with("seconds", age.toSeconds())
                .first(database, OldestTransaction.class);
    }
}
