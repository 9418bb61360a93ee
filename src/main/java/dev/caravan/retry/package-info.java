/** Messages that wait for another attempt, or behind one that does, and what people do to them. */
package dev.caravan.retry;
