package dev.caravan.base.text;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Formats values for people. */
public final class Formatted {
    private static final Pattern BREAKS = Pattern.compile("\\s+");

    private Formatted() {}

    /** {@code 1 message}, {@code 1,000 messages}. */
    public static String counted(long number, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
    }

    /** {@code 1 message was}, {@code 1,000 messages were}. */
    public static String were(long number, String noun) {
        return counted(number, noun) + (number == 1 ? " was" : " were");
    }

    /** {@code 1.2 GB}, {@code 64.0 kB}: powers of 1024, as Postgres prints sizes. */
    public static String bytes(long bytes) {
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
    public static String ago(Instant time) {
        return Span.text(Duration.between(time, Instant.now())) + " ago";
    }

    /** One line of at most {@code maxLength} characters, with a space for each line break and without {@link HiddenCharacters}. */
    public static String line(String text, int maxLength) {
        String line =
                HiddenCharacters.shown(BREAKS.matcher(text).replaceAll(" ").strip());
        return line.length() <= maxLength ? line : ShortText.begin(line, maxLength - 1) + "…";
    }
}
