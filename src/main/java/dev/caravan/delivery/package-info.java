/** Messages on their way to a destination: which one may start next, and what became of it. */
package dev.caravan.delivery;
