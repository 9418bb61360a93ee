/** Caravan: a relay that delivers the messages of a transactional outbox in Postgres through Apache Camel. */
package dev.caravan;
