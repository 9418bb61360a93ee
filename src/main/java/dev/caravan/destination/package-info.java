/** What leaves the process for a destination, and how a destination answers. */
package dev.caravan.destination;
