/** The partitions of the outbox: made ahead of the ids, and dropped when everything in them was delivered everywhere and is old. */
package dev.caravan.partition;
