/** Relays in separate processes that are killed, suspended and stopped, with a real Postgres and a real Kafka broker. */
package dev.caravan.crash;
