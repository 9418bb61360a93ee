package dev.caravan.database;

import dev.caravan.base.clock.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An advisory lock that makes one relay at a time do a periodic task. Every role that can connect can hold it, and the task is not done then:
 * so a session that holds it for long is reported. Thread-safe.
 */
public final class AwaitedLock {
    private static final Logger LOG = LoggerFactory.getLogger(AwaitedLock.class);
    private static final Duration LONG = Duration.ofMinutes(5);

    /** A session. */
    private record Holder(int pid, String name) {}

    private final String name;
    private final String effect;
    private final Clock clock;
    private Optional<Holder> holder = Optional.empty();
    private long since;
    private boolean reported;

    /**
     * @param name the text whose hash is the first key of the lock
     * @param effect what does not happen while another session holds it
     */
    public AwaitedLock(String name, String effect, Clock clock) {
        this.name = name;
        this.effect = effect;
        this.clock = clock;
    }

    /**
     * Call it after each attempt. Warns once when one session has held the lock at all attempts of five minutes.
     *
     * @return the session that holds the lock; empty if this one obtained it
     */
    public synchronized Optional<String> attempted(Connection connection, boolean obtained) throws SQLException {
        Optional<Holder> now = obtained ? Optional.empty() : read(connection);
        if (now.isEmpty() || !now.equals(holder)) {
            holder = now;
            since = clock.nanos();
            reported = false;
        } else if (!reported && clock.nanos() - since >= LONG.toNanos()) {
            reported = true;
            LOG.warn(
                    "{}: {} has held the lock \"{}\" for {} minutes. If it is not a relay or command of Caravan that works, end it:"
                            + " select pg_terminate_backend({})",
                    effect,
                    now.get().name(),
                    name,
                    LONG.toMinutes(),
                    now.get().pid());
        }
        return now.map(Holder::name);
    }

    private Optional<Holder> read(Connection connection) throws SQLException {
        return Sql.file("database/lock_holder")
                .with("name", name)
                .first(connection, row -> new Holder(row.getInt("pid"), row.getString("name")));
    }
}
