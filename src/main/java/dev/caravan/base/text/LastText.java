package dev.caravan.base.text;

import java.util.function.UnaryOperator;

/**
 * Converts texts, and caches the last result. Consecutive failures mostly have the same text, and masking it takes longer than the
 * rest of the handling of a failure. Thread-safe.
 */
public final class LastText {
    private record Converted(String text, String result) {}

    private final UnaryOperator<String> convert;
    private volatile Converted last = new Converted("", "");

    /** @param convert converts a text; must convert the empty text to itself */
    public LastText(UnaryOperator<String> convert) {
        this.convert = convert;
    }

    /** The converted text; null for null. */
    public String of(String text) {
        if (text == null) {
            return null;
        }
        Converted converted = last;
        if (!converted.text.equals(text)) {
            converted = new Converted(text, convert.apply(text));
            last = converted;
        }
        return converted.result;
    }
}
