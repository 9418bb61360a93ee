package dev.caravan.operate.explain;

import dev.caravan.database.DatabaseClock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** The subscriptions in the last seven days, one row per subscription and five minutes. All relays read and write the same rows. */
public final class StoredHistory {
    /** Number of minutes that are stored. */
    public static final int MINUTES = 7 * 24 * 60;

    private static final Duration PERIOD = Duration.ofMinutes(5);
    private static final int DAY_MINUTES = 24 * 60;
    private static final Duration STEP_OF_A_WEEK = Duration.ofMinutes(30);
    /** To which rates are rounded. */
    private static final double HUNDREDTHS = 100;

    private record Row(
            Instant step, String subscription, long delivered, double lagSeconds, long backlog, Integer latencyMillis)
            implements History.Point {}

    private final DataSource dataSource;
    private Instant stored = Instant.MIN;

    public StoredHistory(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Stores a sample if it is the first one of its period, and deletes rows that are too old. Called by one thread. */
    public void add(Sample sample) throws SQLException {
        Instant period = floor(sample.at(), PERIOD);
        if (!period.equals(stored)) {
            store(sample.subscriptions(), DatabaseClock.now(dataSource));
            stored = period;
        }
    }

    /** Uses the time of the database, so that relays with different clocks write the same periods and delete no recent rows. */
    void store(List<SubscriptionStatus> all, Instant now) throws SQLException {
        Instant period = floor(now, PERIOD);
        Transaction.run(dataSource, connection -> Sql.file("operate/store_history")
                .with("period", period)
                .with("names", all.stream().map(SubscriptionStatus::name).toArray(String[]::new))
                .with(
                        "delivered",
                        all.stream().mapToLong(SubscriptionStatus::delivered).toArray())
                .with(
                        "lags",
                        all.stream()
                                .mapToDouble(status -> status.lag().toMillis() / 1000.0)
                                .toArray())
                .with(
                        "backlogs",
                        all.stream().mapToLong(SubscriptionStatus::backlog).toArray())
                .with(
                        "latencies",
                        all.stream()
                                .map(status -> status.latencyMillis().orElse(null))
                                .toArray(Integer[]::new))
                .update(connection));
    }

    private static Instant floor(Instant time, Duration step) {
        long seconds = step.toSeconds();
        return Instant.ofEpochSecond(Math.floorDiv(time.getEpochSecond(), seconds) * seconds);
    }

    /** The last minutes before a time of the database: steps of 5 minutes for up to a day, of 30 minutes for more. */
    public History history(int minutes, Instant now) throws SQLException {
        Duration step = minutes <= DAY_MINUTES ? PERIOD : STEP_OF_A_WEEK;
        Map<Instant, Map<String, Row>> byTime = new TreeMap<>();
        Transaction.run(dataSource, connection -> Sql.file("operate/read_history")
                        .with("step", (double) step.toSeconds())
                        .with("from", floor(now.minus(Duration.ofMinutes(minutes)), step))
                        .query(connection, Row.class))
                .forEach(row -> byTime.computeIfAbsent(row.step(), at -> new HashMap<>())
                        .put(row.subscription(), row));
        return History.of(
                (int) step.toSeconds(),
                byTime.entrySet().stream()
                        .map(each -> new History.Moment<>(each.getKey(), each.getValue()))
                        .toList(),
                HUNDREDTHS);
    }
}
