/** The tables of the outbox: their migrations, and the checks that the promises rest on. */
package dev.caravan.schema;
