/** Runs routes for given messages, but replaces every endpoint that leaves the process, and records what would be sent. */
package dev.caravan.routes.tryout;
