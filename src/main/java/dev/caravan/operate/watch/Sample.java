package dev.caravan.operate.watch;

import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.time.Instant;
import java.util.List;

/**
 * The state of the subscriptions and intakes in the database at one moment, and what was last read of the partitions and bulk retries.
 *
 * @param at when it was read, by the clock of this machine
 * @param subscriptions all subscriptions in order of name, including those of other relays
 * @param partitions the partitions of the outbox in order of id; empty until they have been read
 * @param bulkRetries the bulk retries that have not ended, or have stopped by themselves
 * @param intakes all intakes in order of name, including those of other relays
 */
public record Sample(
        Instant at,
        List<SubscriptionStatus> subscriptions,
        List<Partition> partitions,
        List<Jobs.Count> bulkRetries,
        List<IntakeStatus> intakes) {}
