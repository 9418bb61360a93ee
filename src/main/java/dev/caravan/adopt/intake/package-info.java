/** Intakes: rows of an outbox table in any JDBC database become messages of the outbox. */
package dev.caravan.adopt.intake;
