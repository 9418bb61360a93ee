package dev.caravan.operate.explain;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of a statement of another session, without the values in it, which may be payloads. */
final class QueryText {
    private static final int MAX_LENGTH = 500;
    private static final String HIDDEN = "•••";

    private static final String LETTER = "[A-Za-z_\\x{80}-\\x{10FFFF}]";
    private static final String NAME = LETTER + "[\\w$\\x{80}-\\x{10FFFF}]*+";

    /**
     * The tokens of a statement that can contain or look like others, as Postgres reads them. The end of the last one may be missing, because
     * the server truncates long statements. Everything to the end is a value where the end of a token is not certain: after a quote behind a
     * backslash, whose meaning depends on a setting of the session, and in nested comments.
     */
    private static final Pattern TOKEN = Pattern.compile(
            "([eE]'(?:[^'\\\\]|''|\\\\.)*+(?:'|\\\\?\\z)"
                    + "|'(?:[^'\\\\]|''|\\\\[^'])*+(?:'|\\\\?\\z|\\\\'.*)"
                    + "|\\$((?:" + LETTER + "[\\w\\x{80}-\\x{10FFFF}]*+)?)\\$.*?(?:\\$\\2\\$|\\z)"
                    + "|/\\*(?:(?!\\*/|/\\*).)*+/\\*.*"
                    + "|\\d[\\w.]{2,})"
                    + "|(/\\*.*?(?:\\*/|\\z)|--[^\\n\\r]*)"
                    + "|\\$\\d+|\\d\\w?|" + NAME + "|\"(?:[^\"]|\"\")*+(?:\"|\\z)",
            Pattern.DOTALL);

    private static final int VALUE = 1;
    private static final int COMMENT = 3;

    private QueryText() {}

    static String withoutValues(String query) {
        String plain = TOKEN.matcher(query)
                .replaceAll(found -> found.group(VALUE) != null
                        ? HIDDEN
                        : found.group(COMMENT) != null ? " " : Matcher.quoteReplacement(found.group()))
                .replaceAll("\\s+", " ")
                .strip();
        return plain.length() <= MAX_LENGTH ? plain : plain.substring(0, MAX_LENGTH) + "…";
    }
}
