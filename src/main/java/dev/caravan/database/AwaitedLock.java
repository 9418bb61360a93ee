package dev.caravan.database;

import dev.caravan.base.clock.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An advisory lock that makes one relay at a time do a periodic task. Every role that can connect can hold it, and the task is not done then:
 * so sessions that hold it for long, or in turn, are reported. Thread-safe.
 */
public final class AwaitedLock {
    private static final Logger LOG = LoggerFactory.getLogger(AwaitedLock.class);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int NAMED = 5;

    /** A session. */
    private record Holder(int pid, String name) {}

    private final String name;
    private final String effect;
    private final Clock clock;
    /** The sessions that were seen to hold the lock since it was last obtained. */
    private final Set<Holder> holders = new LinkedHashSet<>();

    private OptionalLong since = OptionalLong.empty();
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
     * Call it after each attempt. Warns once when all attempts of five minutes have failed, also if several sessions hold the lock in turn.
     *
     * @return the session that holds the lock; empty if this one obtained it, or if it was released meanwhile
     */
    public synchronized Optional<String> attempted(Connection connection, boolean obtained) throws SQLException {
        if (obtained) {
            holders.clear();
            since = OptionalLong.empty();
            reported = false;
            return Optional.empty();
        }
        Optional<Holder> holder = read(connection);
        holder.filter(any -> holders.size() < NAMED).ifPresent(holders::add);
        since = OptionalLong.of(since.orElseGet(clock::nanos));
        if (!reported && clock.nanos() - since.getAsLong() >= LONG.toNanos()) {
            reported = true;
            warn();
        }
        return holder.map(Holder::name);
    }

    private void warn() {
        LOG.warn(
                "{}: the lock \"{}\" was not free for {} minutes. It was held by {}. If that is not a relay or command of Caravan that"
                        + " works, end it: {}",
                effect,
                name,
                LONG.toMinutes(),
                joined(Holder::name, "sessions that release it at once"),
                joined(holder -> "select pg_terminate_backend(" + holder.pid() + ")", "pg_locks shows it as advisory"));
    }

    private String joined(Function<Holder, String> text, String none) {
        return holders.isEmpty() ? none : holders.stream().map(text).collect(Collectors.joining("; "));
    }

    private Optional<Holder> read(Connection connection) throws SQLException {
        return Sql.file("database/lock_holder")
                .with("name", name)
                .first(connection, row -> new Holder(row.getInt("pid"), row.getString("name")));
    }
}
