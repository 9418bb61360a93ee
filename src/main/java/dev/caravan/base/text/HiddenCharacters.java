package dev.caravan.base.text;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Characters that are not shown, or that change how the characters around them are shown: a text with them can look like another text, and a
 * terminal obeys some of them. The console has the same rule, in characters.js; a test compares both.
 */
public final class HiddenCharacters {
    private static final String ALWAYS =
            "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5"
                    + "\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\p{Cs}\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff"
                    + "\\x{13430}-\\x{13455}\\x{1bca0}-\\x{1bca3}\\x{1d173}-\\x{1d17a}\\x{e0000}-\\x{e0fff}";
    /** A carriage return alone moves a terminal back to the start of the line. */
    private static final Pattern HIDDEN = Pattern.compile("\\r(?!\\n)|[" + ALWAYS + "]");

    private static final Pattern HIDDEN_OR_BREAK = Pattern.compile("[\\t\\n\\r" + ALWAYS + "]");

    /** Spaces of all widths, characters for which a font may have no sign, and the signs that are empty. */
    private static final String BLANK = "[\\p{Z}\\p{C}\\s\\u2800\\ufffc\\x{1d159}]";

    private static final Pattern BLANK_END = Pattern.compile("\\A" + BLANK + "|" + BLANK + "\\z");

    private HiddenCharacters() {}

    /** Whether a name on one line may look like another one: it has such a character, a line break or a tab, or begins or ends with a blank. */
    public static boolean disguise(String name) {
        return HIDDEN_OR_BREAK.matcher(name).find() || BLANK_END.matcher(name).find();
    }

    /** {@code ␣U+202E} instead of each of them. */
    public static String shown(String text) {
        return HIDDEN.matcher(text).replaceAll(HiddenCharacters::name);
    }

    /** As {@link #shown}, also instead of line breaks and tabs: for a name on one line. */
    public static String shownOnLine(String text) {
        return HIDDEN_OR_BREAK.matcher(text).replaceAll(HiddenCharacters::name);
    }

    /** Equal JSON in which they are written as {@code \\u202e}. */
    public static String escaped(String json) {
        return HIDDEN.matcher(json).replaceAll(found -> found.group()
                .chars()
                .mapToObj(unit -> String.format(Locale.ROOT, "\\\\u%04x", unit))
                .reduce("", String::concat));
    }

    private static String name(MatchResult found) {
        return String.format(Locale.ROOT, "␣U+%04X", found.group().codePointAt(0));
    }
}
