/** Connections to the database of the outbox, how statements are read from their files and run, and what its failures mean. */
package dev.caravan.database;
