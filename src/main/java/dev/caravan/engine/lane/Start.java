package dev.caravan.engine.lane;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/**
 * Where a new subscription starts.
 *
 * @param latest whether to deliver only messages that are committed from now on
 * @param id the first id to deliver; 1 for all messages
 * @param since the time of the first message to deliver; null if not given
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

    /** Whether the messages that are visible at the start are skipped, instead of all messages up to an id. */
    public boolean skipsByVisibility() {
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
