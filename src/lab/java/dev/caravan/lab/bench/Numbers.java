package dev.caravan.lab.bench;

import java.util.Locale;

/** Numbers as tables show them. */
final class Numbers {
    private Numbers() {}

    /** Three digits that count: 61,234 or 3.25. */
    static String text(double value) {
        return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%,.0f" : "%.2f", value);
    }
}
