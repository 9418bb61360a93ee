package dev.caravan.monitoring;

import dev.caravan.partition.Partition;
import dev.caravan.subscription.SubscriptionStatus;
import java.time.Instant;
import java.util.List;

/**
 * The state of the subscriptions and partitions in the database at one moment.
 *
 * @param at when it was read, by the clock of this machine
 * @param subscriptions all subscriptions in order of name, including those of other relays
 * @param partitions the partitions of the outbox in order of id
 */
public record Sample(Instant at, List<SubscriptionStatus> subscriptions, List<Partition> partitions) {}
