package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.Why;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** The number of messages that each subscription delivers per second. The first call measures it, which takes two seconds. */
final class MeasuredRate implements Why.Rate {
    private static final long MILLIS = 2_000;

    private final DataSource database;
    private RecentSamples measured;

    MeasuredRate(DataSource database) {
        this.database = database;
    }

    /** Samples with rates since the previous one. */
    static RecentSamples samples() {
        return new RecentSamples(Duration.ZERO);
    }

    /** Adds a sample of the subscriptions; returns them. */
    static List<SubscriptionStatus> sample(RecentSamples samples, DataSource database) throws SQLException {
        List<SubscriptionStatus> all = SubscriptionStatus.all(database);
        samples.add(new Sample(Clock.SYSTEM.now(), all, List.of(), List.of(), List.of()));
        return all;
    }

    @Override
    public Optional<Double> perSecond(String subscription) throws SQLException {
        if (measured == null) {
            measured = samples();
            sample(measured, database);
            try {
                Thread.sleep(MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
            sample(measured, database);
        }
        return measured.rate(subscription);
    }
}
