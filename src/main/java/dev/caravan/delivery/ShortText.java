package dev.caravan.delivery;

/** A text of a message, cut to what a line of a log or an error can hold. */
public final class ShortText {
    private static final int LONGEST = 100;

    private ShortText() {}

    /** The text as it stands if it is short and on one line; otherwise its beginning and its length. */
    public static String of(String text) {
        String begin = text.length() <= LONGEST ? text : begin(text) + "… (" + text.length() + " characters)";
        return isPlain(begin) ? begin : begin.replaceAll("\\p{Cntrl}", "?");
    }

    private static String begin(String text) {
        return text.substring(0, Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST);
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
