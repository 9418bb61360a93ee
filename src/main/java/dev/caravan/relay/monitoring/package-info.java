/** Metrics, health checks, and the sample of the database that they are based on. */
package dev.caravan.relay.monitoring;
