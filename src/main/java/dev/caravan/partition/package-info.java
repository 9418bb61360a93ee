/** The partitions of the outbox: created ahead of use, and dropped when delivered to all subscriptions and older than the retention. */
package dev.caravan.partition;
