package dev.caravan.lab.bench.run;

import java.time.Duration;
import java.util.List;

/**
 * The sizes and durations of runs.
 *
 * @param rounds how many times each figure is measured
 * @param messages for every scenario; 0 for the default of each scenario
 * @param bytes approximate size of a payload
 * @param keys number of keys
 * @param batch messages per read of the raw loop
 * @param seconds how long messages are written in scenarios with a fixed rate
 * @param outage how long a destination is unavailable
 * @param soak how long the soak takes
 * @param subscriptions how many subscriptions a relay has, in ascending order; at least one number
 */
public record Size(
        int rounds,
        int messages,
        int bytes,
        int keys,
        int batch,
        int seconds,
        Duration outage,
        Duration soak,
        List<Integer> subscriptions) {
    /** @param usual the default of the scenario */
    public int messages(int usual) {
        return messages > 0 ? messages : usual;
    }
}
