/** The metrics and health checks that only a relay has. */
package dev.caravan.relay.monitoring;
