package dev.caravan.base.text;

/** A text of a message, shortened for a line of a log or an error. */
public final class ShortText {
    private static final int MAX_LENGTH = 100;

    private ShortText() {}

    /** The first 100 characters of a text, and its length if it is longer; control characters are replaced by a question mark. */
    public static String of(String text) {
        String begin =
                text.length() <= MAX_LENGTH ? text : begin(text, MAX_LENGTH) + "… (" + text.length() + " characters)";
        return isPlain(begin) ? begin : begin.replaceAll("\\p{Cc}", "?");
    }

    /** The first characters, without the first half of a character that is cut. */
    static String begin(String text, int length) {
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }
}
