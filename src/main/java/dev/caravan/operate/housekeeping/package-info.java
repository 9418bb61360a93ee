/** The periodic tasks that keep the tables of an outbox small and ready, which one instance does for all. */
package dev.caravan.operate.housekeeping;
