package dev.caravan.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Values as people read them. */
final class Humane {
    private Humane() {}

    /** The two largest units, for example {@code 1m 12s} or {@code 2d 3h}; milliseconds below a second. */
    static String duration(Duration duration) {
        if (duration.toDays() > 0) {
            return duration.toDays() + "d " + duration.toHoursPart() + "h";
        }
        if (duration.toHours() > 0) {
            return duration.toHours() + "h " + duration.toMinutesPart() + "m";
        }
        if (duration.toMinutes() > 0) {
            return duration.toMinutes() + "m " + duration.toSecondsPart() + "s";
        }
        if (duration.toSeconds() > 0) {
            return duration.toSeconds() + "s";
        }
        return duration.isZero() ? "0s" : duration.toMillis() + "ms";
    }

    /** {@code 1 message}, {@code 1,000 messages}. */
    static String counted(long number, String thing) {
        return String.format(Locale.ROOT, "%,d %s%s", number, thing, number == 1 ? "" : "s");
    }

    /** {@code 1.2 GB}, {@code 64.0 kB}; in powers of 1024, as Postgres shows sizes. */
    static String bytes(long bytes) {
        double shown = bytes;
        for (String unit : List.of("B", "kB", "MB", "GB")) {
            if (shown < 1024) {
                return String.format(Locale.ROOT, unit.equals("B") ? "%.0f %s" : "%.1f %s", shown, unit);
            }
            shown /= 1024;
        }
        return String.format(Locale.ROOT, "%.1f TB", shown);
    }

    /** {@code 5m 2s ago}. */
    static String ago(Instant time) {
        Duration age = Duration.between(time, Instant.now());
        return (age.isNegative() ? "0s" : duration(age)) + " ago";
    }

    /** One line of at most so many characters, without anything that moves the cursor of a terminal. */
    static String line(String text, int longest) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        return line.length() <= longest ? line : line.substring(0, longest - 1) + "…";
    }
}
