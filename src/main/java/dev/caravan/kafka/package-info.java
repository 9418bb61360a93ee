/** The producers for Kafka, which keep the order of the first records to a new partition. */
package dev.caravan.kafka;
