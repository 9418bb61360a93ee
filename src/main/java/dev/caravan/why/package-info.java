/** Explains why a message is not delivered yet. */
package dev.caravan.why;
