/** Runs routes for given messages while every endpoint that leaves the process is replaced, and records what would be sent. */
package dev.caravan.dryrun;
