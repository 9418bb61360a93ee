package dev.caravan.engine.lane;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of messages per second, minute or hour, written {@code 50/s}, {@code 100/min} or {@code 500/h}.
 *
 * @param messages from 1 to {@link #MAX_MESSAGES}
 */
public record Rate(int messages, Unit unit) {
    /** The largest number of messages in a unit. */
    public static final int MAX_MESSAGES = 1_000_000;

    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})/(s|min|h)");

    /** The units of a rate, named as they are written. */
    public enum Unit {
        s(Duration.ofSeconds(1)),
        min(Duration.ofMinutes(1)),
        h(Duration.ofHours(1));

        private final Duration time;

        Unit(Duration time) {
            this.time = time;
        }
    }

    /**
     * Parses a rate.
     *
     * @throws IllegalArgumentException for any other form, and for a number that is out of range
     */
    public static Rate parse(String text) {
        Matcher written = FORM.matcher(text);
        if (!written.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a rate such as 50/s, 100/min or 500/h");
        }
        int messages = Integer.parseInt(written.group(1));
        if (messages < 1 || messages > MAX_MESSAGES) {
            throw new IllegalArgumentException(
                    "the number of messages must be between 1 and " + MAX_MESSAGES + ", got " + messages);
        }
        return new Rate(messages, Unit.valueOf(written.group(2)));
    }

    /** Messages per second. */
    public double perSecond() {
        return messages * 1e9 / unit.time.toNanos();
    }

    /** A measured rate, rounded and in the unit of this rate, for example {@code 23/s}. */
    public String measured(double perSecond) {
        double inUnit = perSecond * unit.time.toNanos() / 1e9;
        String rounded = inUnit >= 10 || inUnit < 0.01
                ? Long.toString(Math.round(inUnit))
                : new BigDecimal(inUnit)
                        .round(new MathContext(2))
                        .stripTrailingZeros()
                        .toPlainString();
        return rounded + "/" + unit;
    }

    @JsonValue
    @Override
    public String toString() {
        return messages + "/" + unit;
    }
}
