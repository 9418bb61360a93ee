/**
 * One lane of a subscription: its progress through the outbox, its lease, and what it has taken but not finished. No I/O
 * and no Camel here, so that every interleaving can be tested.
 */
package dev.caravan.lane;
