/** The options of {@code outbox:} in a route, by subject, with their descriptions and defaults. */
package dev.caravan.camel.outbox;
