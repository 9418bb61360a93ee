package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.engine.progress.Writer;
import dev.caravan.engine.progress.Writers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.JdbcTemplate;

/** Looks up the open writers of the outbox in {@code pg_locks}. Not thread-safe. */
public final class WriterStore {
    /** The query costs about as much as a read, so it does not follow each read. */
    private static final long INTERVAL_NANOS = 10_000_000L;

    private final JdbcTemplate jdbc;
    private final Clock clock;
    private long lookedUpAt;

    public WriterStore(JdbcTemplate jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
        lookedUpAt = clock.nanos();
    }

    /** Whether the last look-up was long enough ago. */
    public boolean isDue() {
        return clock.nanos() - lookedUpAt >= INTERVAL_NANOS;
    }

    /**
     * The transactions that hold the insert lock on the outbox now.
     *
     * @param withIdle whether to find out which of them are idle, which costs more
     */
    public Writers lookUp(boolean withIdle) {
        Writers found = withIdle ? withIdle() : open(jdbc);
        lookedUpAt = clock.nanos();
        return found;
    }

    /** The transactions that hold the insert lock on the outbox now. */
    static Writers open(JdbcTemplate jdbc) {
        return new Writers(Set.copyOf(Sql.file("engine/writers").query(jdbc, WriterStore::writer)));
    }

    private Writers withIdle() {
        Set<Writer> open = new HashSet<>();
        Map<Writer, String> idleSince = new HashMap<>();
        AtomicLong lastId = new AtomicLong(Long.MAX_VALUE);
        Sql.file("engine/missing_id_writers").query(jdbc, row -> {
            Writer writer = writer(row);
            Optional.ofNullable(row.getString(5)).ifPresent(since -> idleSince.put(writer, since));
            lastId.set(row.getLong(6));
            return open.add(writer);
        });
        return new Writers(open, idleSince, lastId.get());
    }

    /** A transaction without a process is prepared. Its end may release the lock of its id before the insert lock. */
    private static Writer writer(ResultSet row) throws SQLException {
        row.getInt(2);
        boolean hasProcess = !row.wasNull();
        int transactionId = (int) row.getLong(3);
        if (row.wasNull()) {
            return Writer.running(row.getString(1));
        }
        long withEpoch = withEpoch(transactionId, row.getLong(4));
        return hasProcess ? new Writer(row.getString(1), withEpoch) : Writer.prepared(withEpoch);
    }

    /** {@code pg_locks} shows 32 bits of an id. The id of an open transaction differs from the next id by less than 2^31. */
    private static long withEpoch(int transactionId, long next) {
        return next + (transactionId - (int) next);
    }
}
