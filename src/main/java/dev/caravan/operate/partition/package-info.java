/** The partitions of the outbox: created before they are needed, and dropped when delivered everywhere and older than the retention. */
package dev.caravan.operate.partition;
