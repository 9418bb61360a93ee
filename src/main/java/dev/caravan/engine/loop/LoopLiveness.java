package dev.caravan.engine.loop;

import java.time.Duration;

/**
 * Whether the loop of a lane completes its turns, for the health check.
 *
 * @param running false while the route is suspended or stopped
 * @param age time since the last turn was completed, or since the loop started
 * @param longestPause the longest pause between two turns that the options allow
 */
public record LoopLiveness(boolean running, Duration age, Duration longestPause) {}
