/** The delivery of messages to a destination: which message may start next, and the outcome of each attempt. No I/O. */
package dev.caravan.engine.schedule;
