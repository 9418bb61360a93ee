/** What the relay needs of Kafka's client beyond camel-kafka. */
package dev.caravan.kafka;
