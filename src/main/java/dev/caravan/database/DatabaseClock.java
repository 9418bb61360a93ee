package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import javax.sql.DataSource;

/** The time of the database. Use it to compare with times in its tables, because the clock of this machine may differ. */
public final class DatabaseClock {
    private DatabaseClock() {}

    public static Instant now(DataSource dataSource) throws SQLException {
        return Transaction.run(dataSource, DatabaseClock::now);
    }

    public static Instant now(Connection connection) throws SQLException {
        return Sql.file("database/time")
                .query(connection, row -> row.getObject(1, OffsetDateTime.class).toInstant())
                .get(0);
    }
}
