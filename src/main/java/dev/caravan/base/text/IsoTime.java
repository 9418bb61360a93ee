package dev.caravan.base.text;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/**
 * Formats times as {@link Instant#toString()} does, but faster: it caches the text of the last second, because consecutive messages are
 * mostly created in the same second. {@code Instant.toString()} takes longer than all other headers of a message. Not thread-safe.
 */
public final class IsoTime {
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private long second = Long.MIN_VALUE;
    /** The text of the second, with room for a point, nine digits and Z. */
    private byte[] text;

    private int lengthOfSecond;

    /** The time in UTC, with as many digits after the second as it needs: none, 3, 6 or 9. */
    public String text(Instant time) {
        if (time.getEpochSecond() != second) {
            second = time.getEpochSecond();
            textOf(second);
        }
        int nanos = time.getNano();
        if (nanos == 0) {
            return textWith(0, 0);
        }
        if (nanos % NANOS_PER_MILLI == 0) {
            return textWith(nanos / NANOS_PER_MILLI, 3);
        }
        return nanos % NANOS_PER_MICRO == 0 ? textWith(nanos / NANOS_PER_MICRO, 6) : textWith(nanos, 9);
    }

    private void textOf(long epochSecond) {
        byte[] ascii = Instant.ofEpochSecond(epochSecond).toString().getBytes(StandardCharsets.US_ASCII);
        lengthOfSecond = ascii.length - 1; // without Z
        text = Arrays.copyOf(ascii, lengthOfSecond + 11);
    }

    private String textWith(int fraction, int digits) {
        int end = lengthOfSecond;
        if (digits > 0) {
            text[end] = '.';
            end += 1 + digits;
        }
        for (int i = end - 1, rest = fraction; i > lengthOfSecond; i--, rest /= 10) {
            text[i] = (byte) ('0' + rest % 10);
        }
        text[end] = 'Z';
        return new String(text, 0, end + 1, StandardCharsets.ISO_8859_1);
    }
}
