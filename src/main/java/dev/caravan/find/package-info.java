/** One search over dead letters, waiting messages and the outbox. */
package dev.caravan.find;
