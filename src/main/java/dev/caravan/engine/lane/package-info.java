/**
 * One lane of a subscription: its progress through the outbox, its lease, and its messages in flight. Without I/O and Camel, so
 * that every interleaving can be tested.
 */
package dev.caravan.engine.lane;
