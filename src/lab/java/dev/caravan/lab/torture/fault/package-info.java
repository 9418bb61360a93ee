/** Faults, and the plan of when each one begins. */
package dev.caravan.lab.torture.fault;
