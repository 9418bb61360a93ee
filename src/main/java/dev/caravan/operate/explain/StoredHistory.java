package dev.caravan.operate.explain;

import dev.caravan.database.DatabaseClock;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import javax.sql.DataSource;

/** The subscriptions in the last seven days, one row per subscription and five minutes. All relays read and write the same rows. */
public final class StoredHistory {
    /** Number of minutes that are stored. */
    public static final int MINUTES = 7 * 24 * 60;

    private static final Duration PERIOD = Duration.ofMinutes(5);
    private static final int DAY_MINUTES = 24 * 60;
    private static final Duration STEP_OF_A_WEEK = Duration.ofMinutes(30);

    private record Row(
            Instant at, String subscription, long delivered, double lagSeconds, long backlog, Integer latencyMillis) {
        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getObject("step", OffsetDateTime.class).toInstant(),
                    row.getString("subscription"),
                    row.getLong("delivered"),
                    row.getDouble("lag_seconds"),
                    row.getLong("backlog"),
                    row.getObject("latency_millis", Integer.class));
        }
    }

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
        Transaction.run(
                dataSource,
                connection -> Statement.update(
                        connection,
                        "operate/store_history",
                        period,
                        period,
                        all.stream().map(SubscriptionStatus::name).toArray(String[]::new),
                        all.stream().mapToLong(SubscriptionStatus::delivered).toArray(),
                        all.stream()
                                .map(status -> status.lag().toMillis() / 1000.0)
                                .toArray(Double[]::new),
                        all.stream().mapToLong(SubscriptionStatus::backlog).toArray(),
                        all.stream()
                                .map(status -> status.latencyMillis().orElse(null))
                                .toArray(Integer[]::new)));
    }

    private static Instant floor(Instant time, Duration step) {
        long seconds = step.toSeconds();
        return Instant.ofEpochSecond(Math.floorDiv(time.getEpochSecond(), seconds) * seconds);
    }

    /** The JSON of the last minutes before a time of the database: steps of 5 minutes for up to a day, of 30 minutes for more. */
    public Map<String, Object> fields(int minutes, Instant now) throws SQLException {
        Duration step = minutes <= DAY_MINUTES ? PERIOD : STEP_OF_A_WEEK;
        Instant from = floor(now.minus(Duration.ofMinutes(minutes)), step);
        List<Row> rows = Transaction.run(
                dataSource,
                connection ->
                        Statement.query(connection, "operate/read_history", Row::of, (double) step.toSeconds(), from));
        Map<String, Map<Instant, Row>> bySubscription = new TreeMap<>();
        rows.forEach(row -> bySubscription
                .computeIfAbsent(row.subscription(), name -> new HashMap<>())
                .put(row.at(), row));
        List<Instant> times =
                new ArrayList<>(new TreeSet<>(rows.stream().map(Row::at).toList()));
        Map<String, Object> subscriptions = new TreeMap<>();
        bySubscription.forEach((name, found) -> subscriptions.put(name, series(times, found)));
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("intervalSeconds", (int) step.toSeconds());
        fields.put("at", times.stream().map(Instant::toString).toList());
        fields.put("subscriptions", subscriptions);
        return fields;
    }

    private static Map<String, Object> series(List<Instant> times, Map<Instant, Row> found) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ratePerSecond", rates(times, found));
        fields.put("lagSeconds", values(times, found, Row::lagSeconds));
        fields.put("backlog", values(times, found, Row::backlog));
        fields.put("latencyMillis", values(times, found, Row::latencyMillis));
        return fields;
    }

    private static <T> List<T> values(List<Instant> times, Map<Instant, Row> found, Function<Row, T> value) {
        return times.stream()
                .map(found::get)
                .map(row -> row == null ? null : value.apply(row))
                .toList();
    }

    /** For each time the rate since the previous one; null when it is not known, 0 for a subscription that was created again. */
    private static List<Double> rates(List<Instant> times, Map<Instant, Row> found) {
        List<Double> rates = new ArrayList<>();
        Row before = null;
        for (Instant time : times) {
            Row row = found.get(time);
            rates.add(before == null || row == null ? null : rate(before, row));
            before = row;
        }
        return rates;
    }

    private static double rate(Row from, Row to) {
        double seconds = Duration.between(from.at(), to.at()).toMillis() / 1000.0;
        return Math.round(Math.max(0, to.delivered() - from.delivered()) / seconds * 100) / 100.0;
    }
}
