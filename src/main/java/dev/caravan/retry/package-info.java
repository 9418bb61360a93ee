/** Messages that wait for another attempt or are blocked behind one, and their changes by people. */
package dev.caravan.retry;
