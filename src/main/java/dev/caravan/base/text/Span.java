package dev.caravan.base.text;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats durations, as used in settings, tables and messages. */
public final class Span {
    private static final Pattern FORM =
            Pattern.compile("(?=\\d)(?:(\\d{1,6})d)?(?:(\\d{1,6})h)?(?:(\\d{1,9})m)?(?:(\\d{1,9})s)?(?:(\\d{1,9})ms)?");

    private Span() {}

    /**
     * Parses {@code 500ms}, {@code 5s}, {@code 1h30m} or {@code 7d}, the forms that Camel accepts too.
     *
     * @throws IllegalArgumentException for any other form
     */
    public static Duration parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a duration such as 500ms, 5s, 1h30m or 7d");
        }
        return Duration.ofDays(number(parts.group(1)))
                .plusHours(number(parts.group(2)))
                .plusMinutes(number(parts.group(3)))
                .plusSeconds(number(parts.group(4)))
                .plusMillis(number(parts.group(5)));
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** Formats the two largest units, for example {@code 1m 12s}, {@code 2d 3h} or {@code 15m}; milliseconds below a second. */
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

    /** {@code in 5m 2s} for the time that is left, or {@code now}. */
    public static String in(Duration left) {
        return left.isNegative() || left.isZero() ? "now" : "in " + text(left);
    }

    private static String text(long large, String unit, int small, String smallUnit) {
        return large + unit + (small == 0 ? "" : " " + small + smallUnit);
    }
}
