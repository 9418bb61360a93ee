/** The targets of the faults: a Postgres that records changes, the relays, the networks, the destinations and the writers. */
package dev.caravan.lab.torture.stage;
