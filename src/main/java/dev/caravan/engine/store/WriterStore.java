package dev.caravan.engine.store;

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

/** Reads the open writers of the outbox from {@code pg_locks}. */
public record WriterStore(JdbcTemplate jdbc) {
    /**
     * The transactions that hold the insert lock on the outbox now.
     *
     * @param withIdle whether to find out which of them are idle, which costs more
     */
    public Writers writers(boolean withIdle) {
        return withIdle
                ? writersWithIdle()
                : new Writers(Set.copyOf(Sql.file("engine/writers").query(jdbc, WriterStore::writer)));
    }

    private Writers writersWithIdle() {
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
