package dev.caravan.loop;

import java.time.Duration;

/**
 * How the loop of a lane of this relay turns at one moment.
 *
 * @param polls whether it is to turn now: not while its route is suspended
 * @param age time since its last turn was completed, whatever it did, or since it began
 * @param longestPause how long its options let it pause or wait between two turns
 */
public record LaneTurns(boolean polls, Duration age, Duration longestPause) {}
