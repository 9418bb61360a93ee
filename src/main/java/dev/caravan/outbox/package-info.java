/** The face to Camel: the component {@code outbox:}, its consumer on camel-sql, which reads a subscription, and its producer, which appends. */
package dev.caravan.outbox;
