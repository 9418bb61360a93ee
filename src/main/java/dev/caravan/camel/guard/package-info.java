/** Checks and tracking of a user's route: failures in parts of a message, and steps that end a route too early. */
package dev.caravan.camel.guard;
