package dev.caravan.operate.explain;

import java.util.regex.Pattern;

/** The text of a statement of another session, without the values in it, which may be payloads. */
final class QueryText {
    private static final int MAX_LENGTH = 500;
    private static final String HIDDEN = "•••";

    /**
     * A comment or a string literal, also one with escapes or dollar quotes. Its end may be missing, because the server truncates long
     * statements.
     */
    private static final Pattern COMMENT_OR_TEXT = Pattern.compile(
            "(?<comment>/\\*.*?(?:\\*/|\\z)|--[^\\n]*)"
                    + "|\\$(\\w*+)\\$.*?(?:\\$\\2\\$|\\z)"
                    + "|'(?:[^'\\\\]|''|\\\\.)*+(?:'|\\\\?\\z)",
            Pattern.DOTALL);

    private static final Pattern NUMBER = Pattern.compile("(?<![\\w$])\\d{3,}(?:\\.\\d+)?(?!\\w)");

    private QueryText() {}

    static String withoutValues(String query) {
        String plain = COMMENT_OR_TEXT.matcher(query).replaceAll(found -> found.group(1) == null ? HIDDEN : " ");
        plain = NUMBER.matcher(plain).replaceAll(HIDDEN).replaceAll("\\s+", " ").strip();
        return plain.length() <= MAX_LENGTH ? plain : plain.substring(0, MAX_LENGTH) + "…";
    }
}
