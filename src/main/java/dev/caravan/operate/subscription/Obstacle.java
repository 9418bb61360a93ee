package dev.caravan.operate.subscription;

import dev.caravan.base.text.Span;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * What keeps the messages of a lane from being tried.
 *
 * @param nextProbeAt when the destination is probed next; empty unless it is unavailable
 */
public record Obstacle(State state, Optional<Instant> nextProbeAt) {
    /** Why a lane makes no attempts. */
    public enum State {
        PAUSED,
        HALTED,
        NO_RELAY,
        DESTINATION_UNAVAILABLE;

        /** {@code destination unavailable}, as the state of a subscription. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** A lane of a subscription. */
    public record Lane(String subscription, int lane) {}

    /** The obstacles of the lanes of some subscriptions; a lane without one is left out. */
    public static Map<Lane, Obstacle> all(DataSource database, Set<String> subscriptions) throws SQLException {
        Map<Lane, Obstacle> found = new HashMap<>();
        if (!subscriptions.isEmpty()) {
            Transaction.run(database, connection -> Sql.file("operate/obstacles")
                    .with("subscriptions", subscriptions.toArray(String[]::new))
                    .query(connection, row -> {
                        Lane lane = new Lane(row.getString("name"), row.getInt("lane"));
                        of(row).ifPresent(obstacle -> found.put(lane, obstacle));
                        return lane;
                    }));
        }
        return found;
    }

    /** The obstacle of a lane, from the columns {@code paused}, {@code halted}, {@code owner} and {@code next_probe_at}. */
    public static Optional<Obstacle> of(ResultSet row) throws SQLException {
        if (row.getBoolean("halted")) {
            return Optional.of(new Obstacle(State.HALTED, Optional.empty()));
        }
        if (row.getBoolean("paused")) {
            return Optional.of(new Obstacle(State.PAUSED, Optional.empty()));
        }
        if (row.getString("owner") == null) {
            return Optional.of(new Obstacle(State.NO_RELAY, Optional.empty()));
        }
        return Sql.time(row, "next_probe_at")
                .map(probe -> new Obstacle(State.DESTINATION_UNAVAILABLE, Optional.of(probe)));
    }

    /** Whether a message with this time of its next attempt waits for it. One whose time is after the next probe waits for its time. */
    public boolean delays(Instant nextAttempt) {
        return nextProbeAt.map(probe -> !nextAttempt.isAfter(probe)).orElse(true);
    }

    /** What is waited for: {@code the destination, probe in 12s}. */
    public String text(Instant now) {
        return switch (state) {
            case DESTINATION_UNAVAILABLE -> "the destination, " + probe(nextProbeAt.orElseThrow(), now);
            case NO_RELAY -> "a relay";
            default -> "resume (" + state + ")";
        };
    }

    /** {@code probe in 12s}. */
    public static String probe(Instant time, Instant now) {
        return "probe " + Span.in(Duration.between(now, time));
    }
}
