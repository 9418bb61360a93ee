/** Notices: messages in the outbox that report to people that a problem of Caravan itself has begun or ended. */
package dev.caravan.operate.watch;
