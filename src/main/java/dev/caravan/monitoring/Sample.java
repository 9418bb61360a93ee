package dev.caravan.monitoring;

import dev.caravan.clock.Clock;
import dev.caravan.deadletter.BulkRetries;
import dev.caravan.partition.Partition;
import dev.caravan.partition.Retention;
import dev.caravan.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;

/**
 * The state of the subscriptions and partitions in the database at one moment.
 *
 * @param at when it was read, by the clock of this machine
 * @param subscriptions all subscriptions in order of name, including those of other relays
 * @param partitions the partitions of the outbox in order of id
 * @param bulkRetries the bulk retries that have not ended, or have stopped by themselves
 */
public record Sample(
        Instant at,
        List<SubscriptionStatus> subscriptions,
        List<Partition> partitions,
        List<BulkRetries.Count> bulkRetries) {
    /**
     * Reads a sample.
     *
     * @param retention determines the state of the partitions
     */
    public static Sample of(DataSource database, Retention retention, Clock clock) throws SQLException {
        return new Sample(
                clock.now(),
                SubscriptionStatus.all(database),
                Partition.states(database, retention),
                BulkRetries.counts(database));
    }
}
