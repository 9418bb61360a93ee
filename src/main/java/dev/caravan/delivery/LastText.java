package dev.caravan.delivery;

import java.util.function.UnaryOperator;

/**
 * Remembers what it last made of a text: messages that fail one after the other mostly fail with the same text, and to mask it takes
 * longer than all else of a failure. Safe for any number of threads.
 */
public final class LastText {
    private record Known(String text, String made) {}

    private final UnaryOperator<String> make;
    private volatile Known last = new Known("", "");

    /** @param make makes another text of a text; no text of no text */
    public LastText(UnaryOperator<String> make) {
        this.make = make;
    }

    /** What is made of a text, which may be null; the result is null then. */
    public String of(String text) {
        if (text == null) {
            return null;
        }
        Known known = last;
        if (!known.text.equals(text)) {
            known = new Known(text, make.apply(text));
            last = known;
        }
        return known.made;
    }
}
