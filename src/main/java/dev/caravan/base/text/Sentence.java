package dev.caravan.base.text;

/** Ends a text, such as an error message of a library, with a full stop, so that another sentence can follow. */
public final class Sentence {
    private Sentence() {}

    /** The text with a full stop, unless it ends with a full stop, a question mark or an exclamation mark. */
    public static String of(String reason) {
        String text = String.valueOf(reason).stripTrailing();
        return text.matches("(?s).*[.?!]") ? text : text + ".";
    }
}
