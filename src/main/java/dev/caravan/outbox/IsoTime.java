package dev.caravan.outbox;

import java.time.Instant;

/**
 * Writes times as {@link Instant#toString()} does, which takes longer than the rest of a message's headers: neighbours in an
 * outbox are mostly of the same second, and of that the text is kept. For one thread.
 */
final class IsoTime {
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private long second = Long.MIN_VALUE;
    private String textOfSecond;

    /** The time in UTC, with as many digits as it needs: none, 3, 6 or 9 after the second. */
    String text(Instant time) {
        if (time.getEpochSecond() != second) {
            second = time.getEpochSecond();
            String text = Instant.ofEpochSecond(second).toString();
            textOfSecond = text.substring(0, text.length() - 1);
        }
        int nanos = time.getNano();
        if (nanos == 0) {
            return textOfSecond + 'Z';
        }
        if (nanos % NANOS_PER_MILLI == 0) {
            return text(1_000 + nanos / NANOS_PER_MILLI);
        }
        return text(nanos % NANOS_PER_MICRO == 0 ? 1_000_000 + nanos / NANOS_PER_MICRO : 1_000_000_000 + nanos);
    }

    /** @param fraction its digits after a 1, which keeps the zeros in front */
    private String text(int fraction) {
        String digits = Integer.toString(fraction);
        return new StringBuilder(textOfSecond.length() + digits.length() + 1)
                .append(textOfSecond)
                .append('.')
                .append(digits, 1, digits.length())
                .append('Z')
                .toString();
    }
}
