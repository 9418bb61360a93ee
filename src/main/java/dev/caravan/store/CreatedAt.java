package dev.caravan.store;

import java.time.Instant;
import java.time.OffsetDateTime;

/** Converts {@code created_at} of a row to a time that Java can calculate with: Postgres also stores {@code infinity}. */
final class CreatedAt {
    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private CreatedAt() {}

    /** @return the time, or the nearest from 1970 to 9999; the earliest for null */
    static Instant of(OffsetDateTime stored) {
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
