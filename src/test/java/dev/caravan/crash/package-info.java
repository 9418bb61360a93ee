/** Relays as processes of their own that are killed, stopped and ended, beside a real Postgres and a real Kafka broker. */
package dev.caravan.crash;
