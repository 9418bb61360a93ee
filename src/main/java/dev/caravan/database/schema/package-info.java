/** The tables of the outbox: migrations, and checks of what the guarantees depend on. */
package dev.caravan.database.schema;
