package dev.caravan.monitoring;

import dev.caravan.partition.Partition;
import dev.caravan.subscription.SubscriptionStatus;
import java.time.Instant;
import java.util.List;

/**
 * What the database showed at one moment.
 *
 * @param at when it was asked, by the clock of this machine
 * @param subscriptions all, in order of name, also those that other relays work
 * @param partitions of the outbox, in order of id
 */
public record Sample(Instant at, List<SubscriptionStatus> subscriptions, List<Partition> partitions) {}
