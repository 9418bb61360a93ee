/** The Camel component {@code outbox:}: its consumer, based on camel-sql, reads a subscription; its producer appends messages. */
package dev.caravan.outbox;
