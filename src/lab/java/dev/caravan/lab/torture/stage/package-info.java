/** What faults act on: a recording Postgres, the relays, the networks, the destinations and the writers. */
package dev.caravan.lab.torture.stage;
