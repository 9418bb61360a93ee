package dev.caravan.engine.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;

/**
 * Reads {@code created_at} of a row as a time from 1970 to 9999: Postgres also stores {@code infinity}. Reads it as a timestamp,
 * because an {@code OffsetDateTime} and its parts take twice the memory.
 */
final class CreatedAt {
    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private CreatedAt() {}

    /** @return the time, or the nearest from 1970 to 9999; the earliest for null */
    static Instant of(ResultSet row, int column) throws SQLException {
        Timestamp stored = row.getTimestamp(column);
        if (stored == null) {
            return EARLIEST;
        }
        Instant time = stored.toInstant();
        if (time.isBefore(EARLIEST)) {
            return EARLIEST;
        }
        return time.isAfter(LATEST) ? LATEST : time;
    }
}
