package dev.caravan.lab.bench;

import java.time.Duration;

/**
 * How large the runs of a benchmark are.
 *
 * @param rounds how often each figure is taken
 * @param messages for every scenario, or 0: what each scenario takes by itself
 * @param bytes about the size of a payload
 * @param keys number of keys
 * @param batch messages a read, of Caravan and of the raw loop
 * @param seconds how long messages are written where the rate is given
 * @param outage how long a destination stays away
 * @param soak how long the soak takes
 */
record Size(int rounds, int messages, int bytes, int keys, int batch, int seconds, Duration outage, Duration soak) {
    /** @param usual what a scenario takes when nobody says otherwise */
    int messages(int usual) {
        return messages > 0 ? messages : usual;
    }
}
