package dev.caravan.lab.bench.figure;

import java.util.Locale;

/** Formats numbers for tables. */
public final class Numbers {
    private Numbers() {}

    /** At least three significant digits: 61,234 or 3.25. */
    public static String text(double value) {
        return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%,.0f" : "%.2f", value);
    }
}
