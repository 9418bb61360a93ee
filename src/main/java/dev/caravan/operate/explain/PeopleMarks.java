package dev.caravan.operate.explain;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * What people did in the last seven days, from the audit. The marks are read again only if the audit has a new entry, and once a minute: an entry
 * can become visible after one with a higher id. Thread-safe.
 */
final class PeopleMarks {
    private static final Duration LONGEST_USE = Duration.ofMinutes(1);

    private record Read(long newest, long nanos, List<Mark> marks) {}

    private final DataSource dataSource;
    private final Clock clock;
    private volatile Optional<Read> last = Optional.empty();

    PeopleMarks(DataSource dataSource, Clock clock) {
        this.dataSource = dataSource;
        this.clock = clock;
    }

    /** Newest first. */
    List<Mark> all() throws SQLException {
        return Transaction.run(dataSource, connection -> {
            long newest = Sql.file("operate/newest_audit")
                    .first(connection, row -> row.getLong(1))
                    .orElseThrow();
            if (last.filter(read -> read.newest == newest && clock.nanos() - read.nanos < LONGEST_USE.toNanos())
                    .isEmpty()) {
                last = Optional.of(new Read(
                        newest,
                        clock.nanos(),
                        Sql.file("operate/marks_of_people").query(connection, PeopleMarks::mark)));
            }
            return known();
        });
    }

    /** What was last read, while the database is unavailable. */
    List<Mark> known() {
        return last.map(Read::marks).orElse(List.of());
    }

    private static Mark mark(ResultSet row) throws SQLException {
        String subscription = row.getString("subscription");
        long messages = row.getLong("messages");
        return new Mark(
                Sql.instant(row, "at"),
                row.getString("action"),
                true,
                Optional.of(row.getString("who")),
                Optional.empty(),
                subscription.equals("*") ? List.of() : List.of(subscription),
                row.getLong("entries"),
                messages == 0 ? Optional.empty() : Optional.of(messages),
                Optional.ofNullable(row.getString("reason")),
                Optional.of(row.getLong("id")));
    }
}
