package dev.caravan.text;

/** Turns a reason, which another program may have written, into a sentence that others can follow. */
public final class Sentence {
    private Sentence() {}

    /** The text with a full stop, unless it ends with a full stop, a question mark or an exclamation mark. */
    public static String of(String reason) {
        String text = String.valueOf(reason).stripTrailing();
        return text.matches("(?s).*[.?!]") ? text : text + ".";
    }
}
