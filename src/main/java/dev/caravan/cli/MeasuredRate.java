package dev.caravan.cli;

import dev.caravan.operate.explain.Why;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import javax.sql.DataSource;

/** The number of messages that each subscription delivers per second. The first call measures it, which takes two seconds. */
final class MeasuredRate implements Why.Rate {
    private static final long MILLIS = 2_000;

    private final DataSource database;
    private Map<String, Double> measured;

    MeasuredRate(DataSource database) {
        this.database = database;
    }

    @Override
    public OptionalDouble perSecond(String subscription) throws SQLException {
        if (measured == null) {
            measured = measure();
        }
        Double rate = measured.get(subscription);
        return rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate);
    }

    private Map<String, Double> measure() throws SQLException {
        List<SubscriptionStatus> before = SubscriptionStatus.all(database);
        long from = System.nanoTime();
        try {
            Thread.sleep(MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
        Map<String, Long> after = new HashMap<>();
        SubscriptionStatus.all(database).forEach(status -> after.put(status.name(), status.delivered()));
        double seconds = (System.nanoTime() - from) / 1e9;
        Map<String, Double> rates = new HashMap<>();
        for (SubscriptionStatus status : before) {
            long delivered = after.getOrDefault(status.name(), status.delivered()) - status.delivered();
            rates.put(status.name(), Math.max(0, delivered) / seconds);
        }
        return rates;
    }
}
