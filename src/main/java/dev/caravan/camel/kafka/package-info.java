/** The producers for Kafka, which send batches that fit their topics and preserve the order of the first records to a new partition. */
package dev.caravan.camel.kafka;
