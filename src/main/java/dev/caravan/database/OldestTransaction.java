package dev.caravan.database;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The transaction that keeps Postgres from removing old row versions for longest, as far as the role may see it.
 *
 * @param holder the session or the prepared transaction
 * @param age for how long it has been open
 */
public record OldestTransaction(String holder, Duration age) {
    /** Empty when none has been open for so long. */
    public static Optional<OldestTransaction> olderThan(Duration age, DataSource database) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.prepareStatement(SqlFile.file("database/oldest_transaction"))) {
            statement.setLong(1, age.toSeconds());
            try (var row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new OldestTransaction(row.getString(1), Duration.ofSeconds(row.getLong(2))))
                        : Optional.empty();
            }
        }
    }
}
