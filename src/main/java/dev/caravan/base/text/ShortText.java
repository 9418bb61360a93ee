package dev.caravan.base.text;

/** A text of a message, shortened for a line of a log or an error. */
public final class ShortText {
    private static final int MAX_LENGTH = 100;

    private ShortText() {}

    /** The first 100 characters of a text, and its length if it is longer, without {@link HiddenCharacters}. */
    public static String of(String text) {
        String begin =
                text.length() <= MAX_LENGTH ? text : begin(text, MAX_LENGTH) + "… (" + text.length() + " characters)";
        return HiddenCharacters.shownOnLine(begin);
    }

    /** The first characters, without the first half of a character that is cut. */
    static String begin(String text, int length) {
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }
}
