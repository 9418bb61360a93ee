/** Triggers that copy changes of an existing table into the outbox, generated from files. */
package dev.caravan.adopt.capture;
