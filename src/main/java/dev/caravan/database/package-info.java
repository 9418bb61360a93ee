/** Connections, statements, transactions and errors of the database. */
package dev.caravan.database;
