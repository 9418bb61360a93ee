/**
 * A running relay: it starts the routes, the housekeeping and the management server, and reloads changed route files. Metrics and
 * tracing stand here.
 */
package dev.caravan.relay;
