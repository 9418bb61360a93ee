/** A relay under faults, on servers started for it: what is broken, who receives, and what must hold nevertheless. */
package dev.caravan.lab.torture;
