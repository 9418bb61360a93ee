package dev.caravan.api;

import java.time.Duration;

/** Lengths of time as people read them in a sentence. */
final class Span {
    private Span() {}

    /** {@code 12 s}, {@code 3 min}, {@code 2 h 5 min}, {@code 3 d 4 h}. */
    static String text(Duration time) {
        Duration span = time.isNegative() ? Duration.ZERO : time;
        if (span.toDays() > 0) {
            return span.toDays() + " d " + span.toHoursPart() + " h";
        }
        if (span.toHours() > 0) {
            return span.toHours() + " h " + span.toMinutesPart() + " min";
        }
        return span.toMinutes() > 0 ? span.toMinutes() + " min" : span.toSeconds() + " s";
    }
}
