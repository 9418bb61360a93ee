/** Runs relays under faults on new servers, and checks the invariants. */
package dev.caravan.lab.torture;
