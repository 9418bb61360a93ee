package dev.caravan.cli;

import dev.caravan.operate.explain.Why;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import javax.sql.DataSource;

/** The number of messages that each subscription delivers per second. The first call measures it, which takes two seconds. */
final class MeasuredRate implements Why.Rate {
    private static final long MILLIS = 2_000;

    private final DataSource database;
    private Map<String, OptionalDouble> measured;

    MeasuredRate(DataSource database) {
        this.database = database;
    }

    @Override
    public OptionalDouble perSecond(String subscription) throws SQLException {
        if (measured == null) {
            measured = measure();
        }
        return measured.getOrDefault(subscription, OptionalDouble.empty());
    }

    private Map<String, OptionalDouble> measure() throws SQLException {
        Rates rates = new Rates(System::nanoTime);
        rates.update(SubscriptionStatus.all(database));
        try {
            Thread.sleep(MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
        Map<String, OptionalDouble> perSecond = new HashMap<>();
        rates.update(SubscriptionStatus.all(database))
                .forEach(pace -> perSecond.put(pace.status().name(), pace.perSecond()));
        return perSecond;
    }
}
