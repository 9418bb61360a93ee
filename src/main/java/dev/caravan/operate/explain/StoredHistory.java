package dev.caravan.operate.explain;

import dev.caravan.database.DatabaseClock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;

/** The subscriptions in the last seven days, one row per subscription and five minutes. All relays read and write the same rows. */
public final class StoredHistory {
    /** Number of minutes that are stored. */
    public static final int MINUTES = 7 * 24 * 60;
    /** The time for which rows are stored. */
    public static final Duration KEPT = Duration.ofMinutes(MINUTES);

    static final Duration PERIOD = Duration.ofMinutes(5);

    record Row(Instant at, String subscription, long delivered, double lagSeconds, long backlog, Integer latencyMillis)
            implements History.Point {}

    private final DataSource dataSource;
    private Instant stored = Instant.MIN;

    public StoredHistory(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Stores the newest sample if it is the first one of its period, with the largest values since the period before began, so that a short peak is
     * not missed; and deletes rows that are too old. Called by one thread.
     */
    public void add(RecentSamples samples) throws SQLException {
        Optional<Instant> period = samples.newest().map(at -> floor(at, PERIOD));
        if (period.isPresent() && !period.get().equals(stored)) {
            store(samples.largest(PERIOD), DatabaseClock.now(dataSource));
            stored = period.get();
        }
    }

    /** Uses the time of the database, so that relays with different clocks write the same periods and delete no recent rows. */
    void store(Map<String, ? extends History.Point> all, Instant now) throws SQLException {
        Instant period = floor(now, PERIOD);
        Transaction.run(dataSource, connection -> Sql.file("operate/store_history")
                .with("period", period)
                .with("names", all.keySet().toArray(String[]::new))
                .withEach("delivered", all.values(), History.Point::delivered, Long[]::new) // in the order of the keys
                .withEach("lags", all.values(), History.Point::lagSeconds, Double[]::new)
                .withEach("backlogs", all.values(), History.Point::backlog, Long[]::new)
                .withEach("latencies", all.values(), History.Point::latencyMillis, Integer[]::new)
                .update(connection));
    }

    private static Instant floor(Instant time, Duration step) {
        long seconds = step.toSeconds();
        return Instant.ofEpochSecond(Math.floorDiv(time.getEpochSecond(), seconds) * seconds);
    }

    /**
     * The rows of a range of time by the clock of the database, one for each step: the last one of the step, with the largest values of all.
     *
     * @param to not included
     * @param step at least the five minutes between two rows
     * @param subscription only this one; empty for all
     */
    List<History.Moment<Row>> moments(Instant from, Instant to, Duration step, Optional<String> subscription)
            throws SQLException {
        Map<Instant, Map<String, Row>> byTime = new TreeMap<>();
        Transaction.run(dataSource, connection -> Sql.file("operate/read_history")
                        .with("step", (double) step.toSeconds())
                        .with("from", from)
                        .with("to", to)
                        .with("subscription", subscription.orElse(null))
                        .query(connection, Row.class))
                .forEach(row ->
                        byTime.computeIfAbsent(row.at(), at -> new HashMap<>()).put(row.subscription(), row));
        Duration longest = step.multipliedBy(3).dividedBy(2);
        return byTime.entrySet().stream()
                .map(each -> new History.Moment<>(each.getKey(), each.getValue(), longest))
                .toList();
    }
}
