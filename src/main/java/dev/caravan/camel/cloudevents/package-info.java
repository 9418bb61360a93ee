/** The step {@code cloud-event}: messages as CloudEvents 1.0, for Kafka and HTTP. */
package dev.caravan.camel.cloudevents;
