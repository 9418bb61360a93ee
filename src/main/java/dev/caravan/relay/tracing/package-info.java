/** OpenTelemetry spans for attempts. Loaded only when tracing is enabled. */
package dev.caravan.relay.tracing;
