/** The tables of the outbox: migrations, partitions, and the checks that the promises rest on. */
package dev.caravan.schema;
