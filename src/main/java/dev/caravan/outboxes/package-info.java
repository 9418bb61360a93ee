/** The outboxes of a database: the schemas with Caravan's tables, and the state of each. */
package dev.caravan.outboxes;
