/** How many attempts of a subscription may start in a period, and how its lanes share the permits. No I/O. */
package dev.caravan.rate;
