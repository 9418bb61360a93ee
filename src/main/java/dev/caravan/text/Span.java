package dev.caravan.text;

import java.time.Duration;

/** Lengths of time as people read them, in tables and in sentences. */
public final class Span {
    private Span() {}

    /** The two largest units, for example {@code 1m 12s}, {@code 2d 3h} or {@code 15m}; milliseconds below a second. */
    public static String text(Duration time) {
        if (time.toDays() > 0) {
            return text(time.toDays(), "d", time.toHoursPart(), "h");
        }
        if (time.toHours() > 0) {
            return text(time.toHours(), "h", time.toMinutesPart(), "m");
        }
        if (time.toMinutes() > 0) {
            return text(time.toMinutes(), "m", time.toSecondsPart(), "s");
        }
        if (time.toSeconds() > 0) {
            return time.toSeconds() + "s";
        }
        return time.isZero() || time.isNegative() ? "0s" : time.toMillis() + "ms";
    }

    private static String text(long large, String unit, int small, String smallUnit) {
        return large + unit + (small == 0 ? "" : " " + small + smallUnit);
    }
}
