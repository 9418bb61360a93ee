package dev.caravan.store;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/**
 * Where a new subscription starts.
 *
 * @param latest only what is committed from now on
 * @param id the first id to deliver; 1 for everything
 * @param since deliver what was written at or after this time, or null
 */
public record Start(boolean latest, long id, Instant since) {
    /** @throws IllegalArgumentException if the text is not earliest, latest, an id from 1 or a time */
    public static Start parse(String text) {
        switch (text.toLowerCase(Locale.ROOT)) {
            case "earliest":
                return new Start(false, 1, null);
            case "latest":
                return new Start(true, 0, null);
            default:
                return text.matches("[1-9][0-9]{0,17}")
                        ? new Start(false, Long.parseLong(text), null)
                        : new Start(false, 0, time(text));
        }
    }

    /** Whether what is visible at the start is skipped, and not all up to an id. */
    boolean skipsByVisibility() {
        return latest || since != null;
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "start must be earliest, latest, an id from 1, or a time such as 2026-01-31T00:00:00Z, got "
                            + text);
        }
    }
}
