/** Scenarios in which messages, a destination or a relay fail. */
package dev.caravan.lab.bench.failure;
