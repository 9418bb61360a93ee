/** How many attempts of a subscription may start in a time, and how its lanes share that. No I/O. */
package dev.caravan.rate;
