package dev.caravan.base.clock;

import java.time.Duration;

/** Pauses between attempts that fail. */
public final class Pauses {
    private Pauses() {}

    /** Twice a pause, up to the longest one. */
    public static Duration doubled(Duration pause, Duration longest) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(longest) < 0 ? doubled : longest;
    }
}
