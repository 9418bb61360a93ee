/** The {@code outbox:} component: a consumer on camel-sql that reads a subscription, and a producer that appends. */
package dev.caravan.component;
