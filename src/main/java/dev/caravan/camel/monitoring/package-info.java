/** Housekeeping, metrics and health checks of a context with the component {@code outbox}, and the sample of the database that they are based on. */
package dev.caravan.camel.monitoring;
