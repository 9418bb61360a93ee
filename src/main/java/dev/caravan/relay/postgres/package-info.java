/** The Postgres that a relay runs as its child, for a machine without one. */
package dev.caravan.relay.postgres;
