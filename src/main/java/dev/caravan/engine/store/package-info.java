/** The statements that the owner of a lane runs: claim, read, save, retries, dead letters. */
package dev.caravan.engine.store;
